// SPDX-License-Identifier: Apache-2.0
// Tests the projection of NVTX ranges onto GPUs with values derived by hand: one slice per GPU, rows for
// crossing ranges, ranges of several threads, open ranges, and reports that already have annotations.
#include "core/lanes/range_projection.h"

#include <algorithm>

#include "core/trace/report_builder.h"
#include "tests/support/cpu_timer.h"
#include "tests/support/row_report.h"
#include "tests/support/slowness.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;

namespace {

// A process with two threads and two GPUs, written row by row.
class TwoGpus {
  public:
    TwoGpus()
    {
        m_process = m_builder.process(100, 100);
        for (int ordinal = 0; ordinal < 2; ++ordinal)
            m_devices.push_back(m_builder.device(m_process, ordinal));
    }

    void range(const char* name, int64_t start, int64_t end, int64_t tid = 100, bool isStartEnd = false,
               uint8_t flags = 0)
    {
        add({TrackKind::nvtx, m_process, thread(tid), {}, 0, 0},
            isStartEnd ? RowKind::nvtxStartEnd : RowKind::nvtxPushPop, name, start, end, flags);
    }
    SourceRow call(int64_t start, int64_t tid = 100)
    {
        return add({TrackKind::cudaApi, m_process, thread(tid), {}, 0, 0}, RowKind::runtimeApi, "launch",
                   start, start + 5);
    }
    void work(SourceRow cause, size_t gpu, int64_t start, int64_t end, RowKind kind = RowKind::kernel)
    {
        const TrackKind track = kind == RowKind::graphLaunch ? TrackKind::gpuGraph : TrackKind::gpuStream;
        const SourceRow effect =
            add({track, m_process, {}, m_devices[gpu], 7 + start % 2, 1}, kind, "work", start, end);
        m_builder.addLink(cause, effect, LinkKind::launch);
    }
    void annotation(int64_t start, int64_t end)
    {
        add({TrackKind::gpuAnnotation, m_process, {}, m_devices[0], 7, 1}, RowKind::gpuAnnotation, "step",
            start, end);
    }
    std::unique_ptr<Report> finish() { return m_builder.freeze(Progress()).value(); }

  private:
    ThreadId thread(int64_t tid) { return m_builder.thread(m_process, tid); }
    SourceRow add(const TrackKey& track, RowKind kind, const char* name, int64_t start, int64_t end,
                  uint8_t flags = 0)
    {
        SliceRow row;
        row.kind = kind;
        row.name = m_builder.intern(name);
        row.category = isGpuWork(kind) ? SliceCategory::compute : SliceCategory::nvtx;
        row.start_ns = start;
        row.duration_ns = end - start;
        row.flags = flags;
        row.source = SourceRow::of(0, ++m_rows);
        SliceBatch batch;
        batch.add(m_builder.track(track), row);
        m_builder.adopt(std::move(batch));
        return row.source;
    }

    ReportBuilder m_builder;
    ProcessId m_process;
    std::vector<DeviceId> m_devices;
    uint64_t m_rows = 0;
};

// The calls take 5 ns each. "tail" is open: it ends with the last closed range, at 1000.
std::unique_ptr<Report> rangesOnTwoGpus()
{
    TwoGpus made;
    made.range("step", 0, 1000);
    made.range("forward", 100, 400);
    made.range("idle", 410, 420);
    made.range("backward", 500, 900);
    made.range("copy", 350, 600, 100, true); // crosses forward and backward
    made.range("tail", 950, 2000, 100, true, sliceFlag::kOpenEnd);
    made.range("loader", 0, 600, 101);
    const SourceRow two = made.call(110);
    made.work(two, 0, 200, 300);
    made.work(two, 0, 310, 320);
    made.work(made.call(360), 0, 301, 500);
    made.work(made.call(370), 1, 450, 480);
    made.work(made.call(398), 0, 650, 690); // the call ends after forward
    made.work(made.call(550), 0, 700, 800);
    made.work(made.call(960), 0, 1000, 1100);
    made.work(made.call(1500), 0, 1500, 1600); // after the last closed range
    made.work(made.call(50, 101), 0, 60, 90);
    return made.finish();
}

// One line per range: "depth name [begin, end) launches", in the order of the rows.
std::vector<std::string> linesOf(const Report& report, const RangeProjection& projection)
{
    std::vector<std::string> lines;
    for (uint16_t depth = 0; depth < projection.depthCount(); ++depth) {
        const LodRow row = projection.row(depth);
        for (uint32_t i = 0; i < row.count(); ++i) {
            const auto span = projection.of(row.sliceAt(i));
            if (!span || span->depth != depth || span->range != TimeRange{{row.start(i)}, {row.end(i)}})
                return {"the row and the span differ"};
            lines.push_back(std::to_string(depth) + " " + std::string(report.nameOf(row.sliceAt(i))) + " [" +
                            std::to_string(row.start(i)) + ", " + std::to_string(row.end(i)) + ") " +
                            std::to_string(span->launches));
        }
    }
    return lines;
}

std::vector<RangeProjection> projectionsOf(const Report& report)
{
    return findRangeProjections(report, Progress(test::workers()));
}

} // namespace

class RangeProjectionTest : public QObject {
    Q_OBJECT

  private slots:
    void eachGpuAndThreadHasRows()
    {
        const auto report = rangesOnTwoGpus();
        const std::vector<RangeProjection> found = projectionsOf(*report);
        QCOMPARE(found.size(), size_t(3));
        QCOMPARE(report->devices[found[0].device().value].ordinal, 0);
        QCOMPARE(report->threads[found[0].thread().value].tid, int64_t(100));
        QCOMPARE(linesOf(*report, found[0]),
                 (std::vector<std::string>{"0 step [200, 1100) 5", "1 forward [200, 500) 2",
                                           "1 tail [1000, 1100) 1", "2 copy [301, 800) 3",
                                           "3 backward [700, 800) 1"}));
        QCOMPARE(found[0].extent(), (TimeRange{{200}, {1100}}));
        QVERIFY(found[0].isOutermost(0) && !found[0].isOutermost(1) && !found[0].isOutermost(3));
        QCOMPARE(report->threads[found[1].thread().value].tid, int64_t(101));
        QCOMPARE(linesOf(*report, found[1]), (std::vector<std::string>{"0 loader [60, 90) 1"}));
        QCOMPARE(report->devices[found[2].device().value].ordinal, 1);
        QCOMPARE(linesOf(*report, found[2]),
                 (std::vector<std::string>{"0 step [450, 480) 1", "1 forward [450, 480) 1",
                                           "2 copy [450, 480) 1"}));
    }

    void wholeGraphsAreWork()
    {
        TwoGpus made;
        made.range("decode", 0, 100);
        made.work(made.call(10), 0, 200, 900, RowKind::graphLaunch);
        const auto report = made.finish();
        const std::vector<RangeProjection> found = projectionsOf(*report);
        QCOMPARE(found.size(), size_t(1));
        QCOMPARE(linesOf(*report, found[0]), (std::vector<std::string>{"0 decode [200, 900) 1"}));
    }

    // PyTorch records annotations on the GPU, so a second lane would repeat them.
    void annotationsAreNotRepeated()
    {
        TwoGpus made;
        made.range("step", 0, 100);
        made.work(made.call(10), 0, 200, 300);
        made.annotation(200, 300);
        QVERIFY(projectionsOf(*made.finish()).empty());
    }

    void nothingToProject()
    {
        TwoGpus made;
        made.range("step", 0, 100);
        made.work(made.call(200), 0, 300, 400);
        QVERIFY(projectionsOf(*made.finish()).empty());
        QVERIFY(projectionsOf(*TwoGpus().finish()).empty());
    }

    // Thousands of open ranges around each call must not take quadratic time.
    void rangesThatNeverEnd()
    {
        constexpr int kCount = 20'000, kStep = 10;
        test::RowReport rows;
        std::vector<std::tuple<const char*, int64_t, int64_t>> ranges;
        for (int i = 0; i < kCount; ++i)
            ranges.emplace_back("leaked", 10 * i, 20 * kCount);
        rows.ranges(ranges);
        for (int i = 0; i < kCount; i += kStep)
            rows.launch("kernel", 10 * i + 2, 20 * kCount + 10 * i, 20 * kCount + 10 * i + 5);
        const auto report = rows.finish();
        const test::CpuTimer timer;
        const std::vector<RangeProjection> found = projectionsOf(*report);
        QVERIFY2(timer.elapsed_ms() < 3'000 * test::kSlowness, std::to_string(timer.elapsed_ms()).c_str());
        QCOMPARE(found.size(), size_t(1));
        QCOMPARE(size_t(found[0].depthCount()), size_t(kCount - kStep + 1));
        const LodRow last = found[0].row(kCount - kStep);
        QCOMPARE(last.count(), 1u);
        QCOMPARE(found[0].of(last.sliceAt(0))->launches, 1u);
        QCOMPARE(found[0].of(found[0].row(0).sliceAt(0))->launches, uint32_t(kCount / kStep));
    }
};

LOCKSTEP_TEST(RangeProjectionTest, "range_projection_test")
#include "range_projection_test.moc"
