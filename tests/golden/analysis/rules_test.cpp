// SPDX-License-Identifier: Apache-2.0
// Tests the rules of nsys analyze on generated reports: the rows, their order, process and device; time
// hidden by the profiler's own work; windows, limits and empty reports.
#include <algorithm>

#include "core/analysis/analysis.h"
#include "core/trace/report_builder.h"
#include "tests/support/table_text.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;
using lockstep::test::columnCells;
using lockstep::test::tableText;

namespace {

// A report of one process with one device, built row by row.
class DeviceReport {
  public:
    explicit DeviceReport(int64_t pid) : m_process(m_builder.process(uint64_t(pid), pid))
    {
        m_device = m_builder.device(m_process, 0);
        m_thread = m_builder.thread(m_process, pid);
    }

    DeviceReport& add(RowKind kind, const char* name, int64_t start, int64_t end, int64_t stream = 7)
    {
        SliceRow row;
        row.kind = kind;
        row.name = m_builder.intern(name);
        row.start_ns = start;
        row.duration_ns = end - start;
        row.source = SourceRow::of(0, ++m_rows);
        TrackKey track{TrackKind::gpuStream, m_process, {}, m_device, stream, 1};
        if (kind == RowKind::graphLaunch) track.kind = TrackKind::gpuGraph;
        if (kind == RowKind::overhead) track = {TrackKind::overhead, m_process, m_thread, {}, 0, 0};
        if (kind == RowKind::runtimeApi) track = {TrackKind::cudaApi, m_process, m_thread, {}, 0, 0};
        if (kind == RowKind::nvtxPushPop) track = {TrackKind::nvtx, m_process, m_thread, {}, 0, 0};
        SliceBatch batch;
        batch.add(m_builder.track(track), row);
        m_builder.adopt(std::move(batch));
        return *this;
    }

    std::shared_ptr<const Report> made(const char* path = "one.sqlite")
    {
        m_builder.report().provenance.path = path;
        return m_builder.freeze(Progress()).value();
    }

  private:
    ReportBuilder m_builder;
    ProcessId m_process;
    DeviceId m_device;
    ThreadId m_thread;
    uint64_t m_rows = 0;
};

Workspace workspaceOf(std::initializer_list<std::shared_ptr<const Report>> reports)
{
    Workspace workspace;
    for (const auto& report : reports)
        workspace.add(report);
    return workspace;
}

Table ruleOf(std::string_view what, const Workspace& workspace, const Scope& scope = {})
{
    return runAnalysis(what, *makeHeadlessScene(workspace, alignReports(workspace, {})), scope,
                       Progress(test::workers()))
        .value();
}

// Two streams that overlap, a gap of 300, a gap of 600 of which the profiler took 200, and a graph in a third
// stream.
std::shared_ptr<const Report> gappy(const char* path = "one.sqlite", int64_t pid = 11)
{
    DeviceReport report(pid);
    return report.add(RowKind::kernel, "a", 1000, 1400)
        .add(RowKind::memcpy, "copy", 1300, 1500, 8)
        .add(RowKind::kernel, "b", 1800, 2000)
        .add(RowKind::overhead, "CUPTI Buffer flush", 2100, 2300)
        .add(RowKind::overhead, "CUPTI Instrumentation", 2300, 2400)
        .add(RowKind::overhead, "CUDA profiling data flush on process exit", 3500, 9000)
        .add(RowKind::kernel, "c", 2600, 2700)
        .add(RowKind::graphLaunch, "CUDA graph 1", 2750, 2950)
        .add(RowKind::kernel, "d", 3000, 3100)
        .add(RowKind::nvtxPushPop, "step", 1700, 2650)
        .made(path);
}

constexpr const char* kGapHeader =
    "Row# | Duration (ns) | Start (ns) | PID | Device ID | Context ID | Cause\n";

} // namespace

class RulesTest : public QObject {
    Q_OBJECT

  private slots:
    void gapsContainNoWork()
    {
        const Workspace one = workspaceOf({gappy()});
        QCOMPARE(tableText(ruleOf("gpu_gaps:gap=60ns", one)),
                 kGapHeader + std::string("1 | 300 | 1500 | 11 | 0 | 1 | \n"
                                          "2 | 300 | 2300 | 11 | 0 | 1 | \n"
                                          "3 | 100 | 2000 | 11 | 0 | 1 | \n"));
        // The rule needs a longer gap; an equal one does not count.
        QCOMPARE(ruleOf("gpu_gaps:threshold=300ns", one).rowCount(), size_t(0));
        QCOMPARE(columnCells(ruleOf("gpu_gaps:gap=100ns:nographs", one), "Duration"),
                 (std::vector<std::string>{"300", "300", "300"}));
        QCOMPARE(ruleOf("gpu_gaps", one).rowCount(), size_t(0)); // 500 ms
    }

    void worstAreListedAndTheRestCounted()
    {
        const Table table = ruleOf("gpu_gaps:gap=0:rows=2", workspaceOf({gappy()}));
        QCOMPARE(columnCells(table, "Start"), (std::vector<std::string>{"1500", "2300"}));
        QVERIFY(std::ranges::find(table.source.rules, "the worst 2 of 5 rows: rows=-1 lists all") !=
                table.source.rules.end());
        QCOMPARE(ruleOf("gpu_gaps:gap=0:rows=0", workspaceOf({gappy()})).rowCount(), size_t(0));
        // A finding links to the slice that ended the gap.
        const Workspace one = workspaceOf({gappy()});
        const SliceRef ended = ruleOf("gpu_gaps:gap=0:rows=1", one).longest(0);
        QCOMPARE(one.report(ended.report).nameOf(ended.slice), std::string_view("b"));
    }

    void windowsSelectWholeOperations()
    {
        const Workspace one = workspaceOf({gappy()});
        const auto starts = [&](const char* what) { return columnCells(ruleOf(what, one), "Start"); };
        // The copy extends into the window; kernel c is outside.
        QCOMPARE(starts("gpu_gaps:gap=0:start=1450:end=2600"), (std::vector<std::string>{"1500"}));
        // From kernel b to c: "step" ends within c.
        QCOMPARE(starts("gpu_gaps:gap=0:nvtx=step"), (std::vector<std::string>{"2300", "2000"}));
        QCOMPARE(starts("gpu_gaps:gap=0:nvtx=step:start=1450"),
                 (std::vector<std::string>{"1500", "2300", "2000"}));
        QCOMPARE(starts("gpu_gaps:gap=0:nvtx=step@other"), std::vector<std::string>{});
        QCOMPARE(starts("gpu_gaps:gap=0:nvtx=no such"), std::vector<std::string>{});
    }

    void severalReportsAreDistinguished()
    {
        const Workspace two = workspaceOf({gappy("a.sqlite", 11), gappy("b.sqlite", 11)});
        const Table table = ruleOf("gpu_gaps:gap=200ns", two);
        QCOMPARE(columnCells(table, "Report"),
                 (std::vector<std::string>{"a.sqlite", "b.sqlite", "a.sqlite", "b.sqlite"}));
        Scope scope;
        scope.by = GroupBy::report;
        QCOMPARE(columnCells(ruleOf("gpu_gaps:gap=200ns:rows=1", two, scope), "Row#"),
                 (std::vector<std::string>{"1", "1"}));
    }

    void lowUtilizationIsJoined()
    {
        DeviceReport report(5);
        const Workspace one = workspaceOf({report.add(RowKind::kernel, "a", 0, 100)
                                               .add(RowKind::kernel, "b", 0, 100, 8)
                                               .add(RowKind::kernel, "c", 210, 220)
                                               .add(RowKind::kernel, "d", 300, 401)
                                               .made()});
        // Chunks of 101 and a last one of 98: in use for 200, 0, 13 and 98.
        const char* const kHeader =
            "Row# | In-Use (%) | Duration (ns) | Start (ns) | PID | Device ID | Context ID\n";
        QCOMPARE(tableText(ruleOf("gpu_time_util:chunks=4", one)),
                 kHeader + std::string("1 | 6.4 | 202 | 101 | 5 | 0 | 1\n"));
        QCOMPARE(tableText(ruleOf("gpu_time_util:chunks=1:threshold=100%", one)),
                 kHeader + std::string("1 | 77.6 | 401 | 0 | 5 | 0 | 1\n"));
        QCOMPARE(tableText(ruleOf("gpu_time_util:chunks=1:threshold=100%:mode=union", one)),
                 kHeader + std::string("1 | 52.6 | 401 | 0 | 5 | 0 | 1\n"));
        // There are more chunks than nanoseconds.
        QCOMPARE(ruleOf("gpu_time_util:chunks=1000:rows=-1", one).rowCount(), size_t(2));
        // 1,200 of 2,100 ns: the time that the profiler took to write out its buffers does not count as GPU
        // use.
        QCOMPARE(
            columnCells(ruleOf("gpu_time_util:chunks=1:threshold=100%", workspaceOf({gappy()})), "In-Use"),
            std::vector<std::string>{"57.1"});
    }

    void emptyTableHasAReason()
    {
        const Workspace one = workspaceOf({gappy()});
        QCOMPARE(
            ruleOf("gpu_gaps", one).source.whenEmpty,
            std::string(
                "No gap is longer than 500 ms (the longest is 300 ns). Lower the threshold (option gap)."));
        QCOMPARE(ruleOf("gpu_time_util:chunks=1:threshold=10%", one).source.whenEmpty,
                 std::string("No period has a utilization below 10.0 % (the lowest is "
                             "57.1 %). Raise the threshold (option threshold)."));
    }

    void callsThatWait()
    {
        DeviceReport report(5);
        const Workspace one =
            workspaceOf({report.add(RowKind::runtimeApi, "cudaStreamSynchronize_v3020", 10, 20)
                             .add(RowKind::runtimeApi, "cudaDeviceSynchronize", 30, 90)
                             .add(RowKind::runtimeApi, "cudaEventSynchronize", 100, 900)
                             .made()});
        QCOMPARE(tableText(ruleOf("cuda_api_sync", one)),
                 std::string("Duration (ns) | Start (ns) | PID | TID | API Name\n"
                             "60 | 30 | 5 | 5 | cudaDeviceSynchronize\n"
                             "10 | 10 | 5 | 5 | cudaStreamSynchronize_v3020\n"));
        QCOMPARE(ruleOf("cuda_api_sync:end=30", one).rowCount(), size_t(1));
    }

    void emptyReportGivesNothing()
    {
        DeviceReport report(5);
        const Workspace none = workspaceOf({report.made()});
        DeviceReport instant(5); // no slice with a duration
        const Workspace point = workspaceOf({instant.add(RowKind::kernel, "a", 7, 7).made()});
        for (const Analysis& analysis : analyses()) {
            if (analysis.name == "inventory" || analysis.name == "alignment") continue; // one row per report
            QCOMPARE(ruleOf(analysis.name, none).rowCount(), size_t(0));
            QCOMPARE(ruleOf(analysis.name, Workspace()).rowCount(), size_t(0));
            for (const AnalysisArgument& argument : analysis.arguments) {
                if (argument.type == ArgumentType::flag)
                    ruleOf(std::string(analysis.name) + ":" + std::string(argument.name), point);
            }
            QVERIFY(ruleOf(analysis.name, point).rowCount() <= 3);
        }
    }
};

LOCKSTEP_TEST(RulesTest, "rules_test")
#include "rules_test.moc"
