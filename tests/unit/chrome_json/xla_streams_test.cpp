// SPDX-License-Identifier: Apache-2.0
// Tests traces of XLA's profiler: streams are GPU work; lanes that repeat the same time are not.
#include <algorithm>

#include "core/trace/report.h"
#include "tests/support/report_of_bytes.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

// JSON with single quotes, which do not occur in the names.
std::string json(std::string text)
{
    std::ranges::replace(text, '\'', '"');
    return text;
}

// A lane of process 2 and one slice of 10 us on it.
std::string xlaLane(int tid, const std::string& name, const std::string& event, int ts)
{
    const std::string actor = "'pid':2,'tid':" + std::to_string(tid);
    return "{'ph':'M','name':'thread_name'," + actor + ",'args':{'name':'" + name + "'}}," +
           "{'ph':'X','name':'" + event + "'," + actor + ",'ts':" + std::to_string(ts) + ",'dur':10},";
}

} // namespace

class XlaStreamsTest : public QObject {
    Q_OBJECT

  private slots:
    void streamsAreGpuWork()
    {
        const auto report = reportOfBytes(
            json("{'displayTimeUnit':'ns','traceEvents':["
                 "{'ph':'M','name':'process_name','pid':2,'args':{'name':'/device:GPU:1'}}," +
                 xlaLane(13, "Stream #13(compute)", "loop_fusion", 0) +
                 xlaLane(14, "Stream #14(MemcpyH2D)", "MemcpyH2D", 5) +
                 xlaLane(15, "Stream #15(nccl)", "ncclDevKernel_AllReduce_Sum_f32_RING_LL", 20) +
                 xlaLane(20, "XLA Ops", "fusion.1", 0) + xlaLane(21, "XLA Modules", "jit_step", 0) +
                 xlaLane(22, "Steps", "1", 0) +
                 "{'ph':'M','name':'process_name','pid':9,'args':{'name':'/host:CPU'}},"
                 "{'ph':'X','name':'Stream #1','pid':9,'tid':1,'ts':0,'dur':3}]}"));
        QVERIFY(report != nullptr);
        const auto count = [&](RowKind kind) { return std::ranges::count(report->slices.kind, kind); };
        QCOMPARE(count(RowKind::kernel), std::ptrdiff_t(2));
        QCOMPARE(count(RowKind::memcpy), std::ptrdiff_t(1));
        QCOMPARE(count(RowKind::span), std::ptrdiff_t(4));
        QCOMPARE(std::ranges::count(report->slices.category, SliceCategory::communication),
                 std::ptrdiff_t(1));
        QCOMPARE(report->devices.size(), size_t(1));
        QCOMPARE(report->devices[0].ordinal, 1);
        const auto rows =
            std::ranges::find(report->rowCounts, "kernel", &std::pair<std::string, uint64_t>::first);
        QVERIFY(rows != report->rowCounts.end() && rows->second == 2);
        for (const Track& track : report->tracks) {
            if (track.key.kind != TrackKind::gpuStream) continue;
            QVERIFY(report->strings.at(track.name).starts_with("Stream #"));
        }
    }
};

LOCKSTEP_TEST(XlaStreamsTest, "xla_streams_test")
#include "xla_streams_test.moc"
