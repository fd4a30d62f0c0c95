// SPDX-License-Identifier: Apache-2.0
// Compares LOD queries, dense columns and boxes with brute force over random slices and windows.
#include <algorithm>
#include <array>
#include <map>

#include <rapidcheck.h>

#include "core/lanes/block_sum.h"
#include "core/timeline/hit_test.h"
#include "core/timeline/row_layout.h"
#include "tests/support/made_reports.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;

namespace {

struct RandomSlice {
    int64_t start;
    int64_t duration;
    int category;
};

// Makes one track of slices: short and long, touching, overlapping, instants.
std::shared_ptr<const Report> randomLodReport(TrackKind kind = TrackKind::gpuStream)
{
    const int64_t span = *rc::gen::element<int64_t>(50, 1'000, 40'000);
    const size_t most = *rc::gen::element<size_t>(3, 40, 400);
    const auto rows = *rc::gen::container<std::vector<RandomSlice>>(rc::gen::apply(
        [](int64_t start, int64_t duration, int category) {
            return RandomSlice{start, duration % 7 == 0 ? 0 : duration, category};
        },
        rc::gen::inRange<int64_t>(-span, span),
        rc::gen::oneOf(rc::gen::inRange<int64_t>(0, 5), rc::gen::inRange<int64_t>(0, span)),
        rc::gen::inRange(0, 4)));
    ReportBuilder builder;
    const ProcessId process = builder.process(1, 1);
    SliceBatch batch;
    for (int stream = 0; stream < 2; ++stream) {
        const TrackId track = builder.track({kind, process, {}, builder.device(process, 0), stream, 1});
        for (size_t i = size_t(stream); i < std::min(rows.size(), most); i += 2) {
            SliceRow row;
            row.start_ns = rows[i].start;
            row.duration_ns = rows[i].duration;
            row.category = static_cast<SliceCategory>(rows[i].category);
            row.kind = RowKind::kernel;
            row.source = SourceRow::of(0, i + 1);
            row.name = builder.intern("k" + std::to_string(i % 5));
            batch.add(track, row);
        }
    }
    builder.adopt(std::move(batch));
    return builder.freeze(Progress()).value();
}

TimeRange randomWindow()
{
    const int64_t begin = *rc::gen::inRange<int64_t>(-50'000, 50'000);
    return {
        {begin},
        {begin + *rc::gen::oneOf(rc::gen::inRange<int64_t>(1, 50), rc::gen::inRange<int64_t>(1, 90'000))}};
}

std::vector<SliceId> rowSlices(const Report& report, TrackId track, uint16_t depth)
{
    std::vector<SliceId> out;
    const Track& t = report.track(track);
    for (uint32_t i = t.firstSlice.value; i < t.firstSlice.value + t.sliceCount; ++i) {
        if (report.slices.depth[i] == depth) out.push_back(SliceId(i));
    }
    return out;
}

struct Brute {
    uint32_t count = 0;
    int64_t busy_ns = 0;
    SliceCategory category = SliceCategory::other;
    SliceId longest;
    uint32_t narrow = 0;
};

// Shorter than the view's first pixel.
bool isSliver(TimeRange slice, const PixelScale& scale)
{
    return slice.begin < scale.range().begin && slice.end < scale.startOf(1);
}

Brute bruteForce(const Report& report, const std::vector<SliceId>& row, TimeRange range,
                 const PixelScale* scale = nullptr)
{
    Brute out;
    std::map<SliceCategory, int64_t> busy;
    for (const SliceId slice : row) {
        const TimeRange r = report.slices.range(slice);
        const bool isIn = r.begin < range.end && (r.end > range.begin || r.begin >= range.begin);
        if (!isIn) continue;
        const int64_t part = std::max<int64_t>(0, r.clippedTo(range).length().ns);
        ++out.count;
        if (scale != nullptr)
            out.narrow += r.length() < scale->durationOf(kMinBoxWidth) || isSliver(r, *scale) ? 1 : 0;
        out.busy_ns += part;
        busy[report.slices.category[slice.value]] += part;
        if (!out.longest.isValid() || r.length() > report.slices.duration(out.longest)) out.longest = slice;
    }
    if (out.count == 0) return out;
    out.category = report.slices.category[out.longest.value];
    int64_t most = 0;
    for (const auto& [category, part] : busy) {
        if (part > most) out.category = category;
        most = std::max(most, part);
    }
    return out;
}

} // namespace

class LodPropertyTest : public QObject {
    Q_OBJECT

  private slots:
    void summariesEqualBruteForce()
    {
        QVERIFY(rc::check("any window of any row", [] {
            const auto report = randomLodReport();
            const auto lod = buildLod(*report, test::workers());
            const TimeRange window = randomWindow();
            for (size_t t = 0; t < report->tracks.size(); ++t) {
                for (uint16_t depth = 0; depth < report->tracks[t].depthCount; ++depth) {
                    const LodRow row = lod->slices().row(*report, TrackId(t), depth);
                    const auto slices = rowSlices(*report, TrackId(t), depth);
                    RC_ASSERT(row.count() == slices.size());
                    const Brute expected = bruteForce(*report, slices, window);
                    const RowSummary found = row.summarize(window);
                    RC_ASSERT(found.count == expected.count);
                    RC_ASSERT(found.busy_ns == expected.busy_ns);
                    if (found.count == 0) continue;
                    RC_ASSERT(found.category == expected.category);
                    RC_ASSERT(row.sliceAt(found.longest) == expected.longest);
                }
            }
        }));
    }

    void fourAtOnceIsOneByOne()
    {
#ifdef __x86_64__
        if (!kHasAvx2) QSKIP("this processor has no AVX2");
        QVERIFY(rc::check("any block", [] {
            std::array<int64_t, 8> start{}, duration{};
            std::array<SliceCategory, 8> category{};
            for (size_t i = 0; i < 8; ++i) {
                start[i] = *rc::gen::arbitrary<int64_t>();
                duration[i] = *rc::gen::inRange<int64_t>(0, int64_t(1) << 50);
                category[i] = static_cast<SliceCategory>(*rc::gen::inRange(0, 5));
            }
            const RowColumns row{start.data(), duration.data(), category.data(), nullptr, 8};
            const std::array<SliceCategory, 4> kinds{SliceCategory(1), SliceCategory(0), SliceCategory(4),
                                                     SliceCategory(2)};
            const int64_t t = *rc::gen::element(start[3], start[0], start[7], int64_t(0));
            BlockSum<4> one, four;
            sumBlock<4, false>(row, kinds.data(), 0, 8, t, one);
            sumBlockByFours<4>(row, kinds.data(), 0, t, four);
            RC_ASSERT(one.before == four.before && one.busy_ns == four.busy_ns && one.mix_ns == four.mix_ns);
        }));
#endif
    }

    void longRowsUseEveryLevel()
    {
        QVERIFY(rc::check("windows over 20,000 slices", [] {
            static const auto report = test::denseReport(1, 20'000, 1'000'000, 7);
            static const auto lod = buildLod(*report, test::workers());
            static const auto slices = rowSlices(*report, TrackId(0u), 0);
            const int64_t begin = *rc::gen::inRange<int64_t>(-10, 1'000'000);
            const TimeRange window{{begin}, {begin + *rc::gen::inRange<int64_t>(1, 1'000'000)}};
            const LodRow row = lod->slices().row(*report, TrackId(0u), 0);
            const Brute expected = bruteForce(*report, slices, window);
            const RowSummary found = row.summarize(window);
            RC_ASSERT(found.count == expected.count);
            RC_ASSERT(found.busy_ns == expected.busy_ns);
            RC_ASSERT(found.count == 0 || row.sliceAt(found.longest) == expected.longest);
            RC_ASSERT(found.count == 0 || found.category == expected.category);
        }));
    }

    void busyRowIsTheUnion()
    {
        QVERIFY(rc::check("union over streams", [] {
            const auto report = randomLodReport();
            const auto lod = buildLod(*report, test::workers());
            if (lod->busyRows().empty()) return;
            const TimeRange window = randomWindow();
            int64_t busy = 0, end = window.begin.ns;
            std::vector<TimeRange> all;
            for (size_t i = 0; i < report->slices.size(); ++i)
                all.push_back(report->slices.range(SliceId(i)));
            std::ranges::sort(all, {}, [](TimeRange r) { return r.begin; });
            for (const TimeRange r : all) {
                const TimeRange part = TimeRange{{std::max(r.begin.ns, end)}, r.end}.clippedTo(window);
                busy += std::max<int64_t>(0, part.length().ns);
                end = std::max(end, r.end.ns);
            }
            RC_ASSERT(lod->busyRows()[0].row(*report, lod->slices()).summarize(window).busy_ns == busy);
        }));
    }

    void columnsAndBoxesEqualBruteForce()
    {
        QVERIFY(rc::check("each pixel of any row", [] {
            // Includes dense rows, whose pixels are not computed slice by slice.
            const auto report = *rc::gen::element(true, false)
                                    ? randomLodReport()
                                    : test::denseReport(1, *rc::gen::inRange(100u, 1'000u), 40'000, 5);
            const auto lod = buildLod(*report, test::workers());
            const PixelScale scale(randomWindow(), *rc::gen::element(1, 7, 100, 1000));
            const int64_t wide_ns = scale.durationOf(kMinBoxWidth).ns;
            for (size_t t = 0; t < report->tracks.size(); ++t) {
                for (uint16_t depth = 0; depth < report->tracks[t].depthCount; ++depth) {
                    DisplayRow out;
                    layOutSlices(lod->slices().row(*report, TrackId(t), depth), {*report, *lod, scale, {}},
                                 out);
                    const auto slices = rowSlices(*report, TrackId(t), depth);
                    size_t next = 0;
                    for (int x = 0; x < scale.width(); ++x) {
                        const Brute expected = bruteForce(*report, slices, scale.pixelRange(x), &scale);
                        if (expected.narrow == 0) continue;
                        RC_ASSERT(next < out.columns.size());
                        const DenseColumn& column = out.columns[next++];
                        RC_ASSERT(int(column.x) == x);
                        RC_ASSERT(column.count == expected.count);
                        const bool isNamed = expected.count <= kMaxNamed;
                        RC_ASSERT(column.longest == (isNamed ? expected.longest : SliceId()));
                        const StringId name = report->slices.name[expected.longest.value];
                        RC_ASSERT(column.nameHash == (isNamed ? lod->nameHash(name) : kPlainName));
                        RC_ASSERT(column.category == expected.category);
                        const double part =
                            double(expected.busy_ns) / double(scale.pixelRange(x).length().ns);
                        const int occupancy =
                            expected.busy_ns == 0 ? 0 : int(std::clamp(part * 255.0, 1.0, 255.0));
                        RC_ASSERT(int(column.occupancy) == occupancy);
                    }
                    RC_ASSERT(next == out.columns.size());
                    std::vector<SliceId> wide, boxes;
                    for (const SliceId slice : slices) {
                        const TimeRange r = report->slices.range(slice);
                        if (r.length().ns >= wide_ns && r.overlaps(scale.range()) && !isSliver(r, scale))
                            wide.push_back(slice);
                    }
                    for (const SliceBox& box : out.boxes)
                        boxes.push_back(box.slice);
                    RC_ASSERT(boxes == wide);
                }
            }
        }));
    }

    void countersEqualBruteForce()
    {
        QVERIFY(rc::check("any window of a counter", [] {
            ReportBuilder builder;
            CounterTrack track;
            track.name = builder.intern("c");
            track.shape = *rc::gen::element(CounterShape::steps, CounterShape::points);
            auto samples = *rc::gen::container<std::vector<std::pair<int64_t, double>>>(
                2000,
                rc::gen::pair(rc::gen::inRange<int64_t>(0, 9'000),
                              rc::gen::map(rc::gen::inRange(-100, 100), [](int v) { return double(v); })));
            samples.resize(*rc::gen::element<size_t>(1, 31, 33, 2000));
            const CounterTrackId id = builder.addCounterTrack(track);
            builder.addSamples(id, samples);
            const auto report = builder.freeze(Progress()).value();
            const CounterLod lod(*report);
            const TimeRange window = {{*rc::gen::inRange<int64_t>(-10, 9'000)},
                                      {*rc::gen::inRange<int64_t>(0, 9'100)}};
            if (window.isEmpty()) return;
            const auto found = lod.summarize(*report, id, window);
            std::optional<CounterSummary> expected;
            const auto take = [&](double value, bool counts) {
                if (!expected) expected = CounterSummary{value, value, value, 0};
                *expected = {std::min(expected->min, value), std::max(expected->max, value), value,
                             expected->samples + counts};
            };
            bool startsInside = false;
            std::optional<double> held;
            for (size_t i = 0; i < report->counters.size(); ++i) {
                const int64_t at = report->counters.time_ns[i];
                if (at < window.begin.ns) held = report->counters.value[i];
                startsInside |= at == window.begin.ns;
            }
            if (held && track.shape == CounterShape::steps && !startsInside) take(*held, false);
            for (size_t i = 0; i < report->counters.size(); ++i) {
                if (window.contains({report->counters.time_ns[i]})) take(report->counters.value[i], true);
            }
            RC_ASSERT(found == expected);
        }));
    }
};

LOCKSTEP_TEST(LodPropertyTest, "lod_property_test")
#include "lod_property_test.moc"
