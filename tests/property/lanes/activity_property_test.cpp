// SPDX-License-Identifier: Apache-2.0
// Compares busy rows and their buckets with brute force, nanosecond by nanosecond, over random GPU work.
#include <cmath>

#include <rapidcheck.h>

#include "core/scene/scene.h"
#include "core/timeline/pixel_scale.h"
#include "core/timeline/summary_layout.h"
#include "core/trace/report_builder.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;

namespace {

constexpr int64_t kSpan_ns = 3'000;

struct Work {
    int64_t start;
    int64_t duration;
    int category;
    int stream;
};

std::shared_ptr<const Report> randomWork(const std::vector<Work>& work)
{
    static constexpr std::array kCategories{SliceCategory::compute, SliceCategory::communication,
                                            SliceCategory::copyToHost, SliceCategory::memset,
                                            SliceCategory::graph};
    ReportBuilder builder;
    const ProcessId process = builder.process(1, 1);
    SliceBatch batch;
    uint64_t rows = 0;
    for (const Work& w : work) {
        SliceRow row;
        row.start_ns = w.start;
        row.duration_ns = w.duration;
        row.category = kCategories[size_t(w.category)];
        row.kind = RowKind::kernel;
        row.source = SourceRow::of(0, ++rows);
        row.name = builder.intern("k");
        const DeviceId device = builder.device(process, 0);
        batch.add(builder.track({TrackKind::gpuStream, process, {}, device, w.stream, 1}), row);
    }
    builder.adopt(std::move(batch));
    return builder.freeze(Progress()).value();
}

std::vector<Work> someWork()
{
    return *rc::gen::nonEmpty(rc::gen::container<std::vector<Work>>(rc::gen::apply(
        [](int64_t start, int64_t duration, int category, int stream) {
            return Work{start, duration, category, stream};
        },
        rc::gen::inRange<int64_t>(0, kSpan_ns), rc::gen::inRange<int64_t>(0, 400), rc::gen::inRange(0, 5),
        rc::gen::inRange(1, 4))));
}

// The activity of each nanosecond: the first one that ran.
std::vector<int> bruteForce(const Report& report)
{
    std::vector<int> of(size_t(kSpan_ns) * 2, int(kActivities));
    for (uint32_t i = 0; i < report.slices.size(); ++i) {
        const int activity = int(activityOf(report.slices.category[i]));
        for (int64_t t = report.slices.start_ns[i];
             t < report.slices.start_ns[i] + report.slices.duration_ns[i]; ++t) {
            of[size_t(t)] = std::min(of[size_t(t)], activity);
        }
    }
    return of;
}

} // namespace

class ActivityPropertyTest : public QObject {
    Q_OBJECT

  private slots:
    void busyRowsCoverEveryNanosecond()
    {
        QVERIFY(rc::check("each nanosecond is of the first activity that ran", [] {
            const auto report = randomWork(someWork());
            const ReportLod lod(*report, Progress(test::workers()));
            RC_ASSERT(lod.busyRows().size() == 1);
            const LodRow row = lod.busyRows()[0].row(*report, lod.slices());
            std::vector<int> found(size_t(kSpan_ns) * 2, int(kActivities));
            for (uint32_t i = 0; i < row.count(); ++i) {
                if (i > 0) RC_ASSERT(row.end(i - 1) <= row.start(i));
                for (int64_t t = row.start(i); t < row.end(i); ++t)
                    found[size_t(t)] = int(activityOf(row.category(i)));
            }
            RC_ASSERT(found == bruteForce(*report));
        }));
    }

    // One row is far away, and one is tiny compared with the view.
    void viewsOfAllTime()
    {
        const auto report = randomWork({{1'000, 10, 0, 1}, {1'005, 10, 1, 2}});
        const ReportLod lod(*report, Progress(test::workers()));
        const ActivityBuckets& buckets = lod.busyRows()[0].buckets();
        std::vector<ActivityParts> parts(100);
        buckets.addTo({{int64_t(1) << 60}, {(int64_t(1) << 60) + 1'000}}, parts);
        buckets.addTo({{-(int64_t(1) << 60)}, {-(int64_t(1) << 59)}}, parts);
        QVERIFY(
            std::ranges::all_of(parts, [](const ActivityParts& part) { return part == ActivityParts{}; }));
        buckets.addTo(kAllTime, parts);
        QCOMPARE(std::ranges::count_if(parts,
                                       [](const ActivityParts& part) { return part[0] > 0 && part[1] > 0; }),
                 ptrdiff_t(1));
    }

    // Work counts however small its part of a pixel is.
    void isolatedWorkIsVisible()
    {
        const auto report = randomWork({{38, 1, 0, 1}});
        const ReportLod lod(*report, Progress(test::workers()));
        for (int64_t pixel_ns = 1; pixel_ns < int64_t(1) << 30; pixel_ns = pixel_ns * 3 / 2 + 1) {
            std::vector<ActivityParts> parts(100);
            lod.busyRows()[0].buckets().addTo({{38 - 50 * pixel_ns}, {38 + 50 * pixel_ns}}, parts);
            QVERIFY2(std::ranges::any_of(parts, [](const ActivityParts& part) { return part[0] > 0; }),
                     qPrintable(QString::number(pixel_ns)));
        }
    }

    // Buckets are as exact: within the smear of one pixel's bucket, and never empty where there is work.
    void pixelsShowWhatRan()
    {
        QVERIFY(rc::check("pixels of any width", [] {
            Workspace workspace;
            const auto report = randomWork(someWork());
            workspace.add(report);
            const ScenePtr scene = makeScene(workspace, alignReports(workspace, {}), test::workers());
            const std::vector<int> truth = bruteForce(*report);
            RowSource source{.kind = RowSource::Kind::busy, .report = ReportKey(size_t(0))};
            source.extent = {{0}, {kSpan_ns * 2}};
            const ClockMap& map = scene->alignment.map(ReportKey(size_t(0)));
            const int64_t begin = *rc::gen::inRange<int64_t>(-500, kSpan_ns);
            const int64_t length = *rc::gen::inRange<int64_t>(10, 2 * kSpan_ns);
            const auto width = *rc::gen::element<size_t>(1, 3, 10, 64, 200);
            const TimeRange range{{begin}, {begin + length}};
            std::vector<ActivityParts> parts(width);
            addActivity(*scene, source, map.alignedFromTrace(range), parts);
            const ActivityBuckets& buckets = scene->lods[ReportKey(size_t(0))]->busyRows()[0].buckets();
            const bool isExact = length / int64_t(width) < buckets.finest().ns;
            const PixelScale scale(range, int(width));
            std::array<double, kActivities> shown = {}, ran = {};
            for (size_t x = 0; x < width; ++x) {
                const TimeRange pixel = scale.pixelRange(int(x));
                if (pixel.isEmpty()) continue; // narrower than 1 ns: same as its neighbors
                std::array<int64_t, kActivities + 1> ns = {};
                for (int64_t t = pixel.begin.ns; t < pixel.end.ns; ++t)
                    ++ns[t < 0 || t >= int64_t(truth.size()) ? kActivities : size_t(truth[size_t(t)])];
                for (size_t i = 0; i < kActivities; ++i) {
                    const double part =
                        255.0 * double(ns[i]) / double(std::max<int64_t>(1, pixel.length().ns));
                    if (isExact) RC_ASSERT(std::abs(parts[x][i] - part) <= 2.0);
                    // A sliver at a pixel's edge may only be visible in the next pixel.
                    const auto isSeen = [&](size_t at) { return at < width && parts[at][i] > 0; };
                    if (ns[i] > 0) RC_ASSERT(isSeen(x) || isSeen(x + 1) || isSeen(x - 1));
                    shown[i] += parts[x][i];
                    ran[i] += part;
                }
            }
            if (length < int64_t(width)) return;
            // Over the whole view buckets lose or add time only at its two ends.
            for (size_t i = 0; i < kActivities; ++i)
                RC_ASSERT(std::abs(shown[i] - ran[i]) <= 3.0 * double(width) + 2 * 255.0);
        }));
    }
};

LOCKSTEP_TEST(ActivityPropertyTest, "activity_property_test")
#include "activity_property_test.moc"
