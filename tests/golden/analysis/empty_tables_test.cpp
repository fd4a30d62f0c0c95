// SPDX-License-Identifier: Apache-2.0
// Checks the reason that an empty table gives if the reports contain relevant events: the threshold, filter
// or missing link. The window and the command line use the same text.
#include <map>

#include "core/analysis/analysis.h"
#include "core/analysis/empty_table.h"
#include "core/analysis/notes_table.h"
#include "tests/support/made_memory.h"
#include "tests/support/rank_report.h"
#include "tests/support/row_report.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;
using lockstep::test::RankReport;
using lockstep::test::RowReport;

namespace {

Workspace alone(std::shared_ptr<const Report> report)
{
    Workspace workspace;
    workspace.add(std::move(report));
    return workspace;
}

// Two kernels without calls, a range and a call that launches nothing.
Workspace uncalled()
{
    RowReport made;
    made.kernel("gemm", 100, 200);
    made.kernel("relu", 250, 300);
    made.range("init", 0, 50);
    made.range("forward", 90, 310);
    made.call("cudaEventRecord", 95, 97);
    return made.made();
}

// The file records a duration of zero for this kernel.
Workspace instant()
{
    RowReport made;
    made.kernel("gemm", 100, 100);
    return made.made();
}

// A kernel that begins before its call, because the clocks disagree.
Workspace early()
{
    RowReport made;
    made.launch("gemm", 500, 400, 450);
    return made.made();
}

// All work is launched in the last of two profiler steps.
Workspace lastStepOnly()
{
    RowReport made;
    made.op(9, "ProfilerStep#1", 0, 100);
    made.op(9, "ProfilerStep#2", 100, 300);
    made.launch("gemm", 150, 160, 200);
    return made.made();
}

// Rows of one device that are not kernels: a copy of pinned memory, a memset, a counter, or a whole graph.
// isCalled: cudaMemcpyAsync and cudaMemset begin the first two.
Workspace otherWork(bool isCalled, bool hasSizes = true, CopyKind direction = CopyKind::hostToDevice)
{
    ReportBuilder builder;
    const ProcessId process = builder.process(11, 11);
    const TrackId stream =
        builder.track({TrackKind::gpuStream, process, {}, builder.device(process, 0), 7, 1});
    const TrackId calls = builder.track({TrackKind::cudaApi, process, builder.thread(process, 11), {}, 0, 0});
    SliceBatch batch;
    uint64_t rows = 0;
    const auto add = [&](TrackId track, RowKind kind, const char* name, int64_t start) {
        SliceRow row;
        row.kind = kind;
        row.name = builder.intern(name);
        row.start_ns = start;
        row.duration_ns = 10;
        row.source = SourceRow::of(0, ++rows);
        batch.add(track, row);
        return row.source;
    };
    const auto addCalled = [&](RowKind kind, const char* call, int64_t start, MemoryOp op) {
        const SourceRow work = add(stream, kind, "work", start);
        if (hasSizes) batch.addMemoryOp(work, op);
        const SourceRow caller = add(calls, RowKind::runtimeApi, call, start - 20);
        if (isCalled) builder.addLink(caller, work, LinkKind::launch);
    };
    builder.report().provenance.path = "made.sqlite";
    builder.report().provenance.kind = "made";
    addCalled(RowKind::memcpy, "cudaMemcpyAsync", 100,
              {{}, direction, MemoryKind::pinned, MemoryKind::device, 4096});
    addCalled(RowKind::memset, "cudaMemset", 200,
              {{}, CopyKind::memset, MemoryKind::unknown, MemoryKind::device, 4096});
    builder.adopt(std::move(batch));
    return alone(builder.freeze(Progress()).value());
}

Workspace wholeGraph()
{
    ReportBuilder builder;
    const ProcessId process = builder.process(11, 11);
    SliceRow row;
    row.kind = RowKind::graphLaunch;
    row.name = builder.intern("CUDA graph 1");
    row.duration_ns = 10;
    row.source = SourceRow::of(0, 1);
    SliceBatch batch;
    batch.add(builder.track({TrackKind::gpuGraph, process, {}, builder.device(process, 0), 7, 1}), row);
    builder.adopt(std::move(batch));
    CounterTrack counter;
    counter.name = builder.intern("DRAM Read Bandwidth");
    builder.addSamples(builder.addCounterTrack(counter), {{1, 2.0}});
    return alone(builder.freeze(Progress()).value());
}

// Three collectives of rank `rank`, of a group of two.
std::shared_ptr<const Report> reducing(int rank, const char* group, const char* name = "allreduce")
{
    RankReport made(rank, "node" + std::to_string(rank), 1'000'000'000'000);
    for (int k = 1; k <= 3; ++k) {
        CollectiveOp op;
        op.sequence = static_cast<uint64_t>(k);
        made.addCollective(k * 1'000'000, k * 1'000'000 + 50'000, name, group, op);
    }
    return made.finish();
}

// Communication of rank `rank` that the file gives no names to.
std::shared_ptr<const Report> unnamed(int rank)
{
    RankReport made(rank, "node" + std::to_string(rank), 1'000'000'000'000);
    for (int k = 1; k <= 3; ++k)
        made.addUnstated(k * 1'000'000, k * 1'000'000 + 50'000 + rank, "ncclDevKernel_AllReduce",
                         kNoCorrelation);
    return made.finish();
}

std::map<std::string, Workspace> reports()
{
    std::map<std::string, Workspace> all;
    all["uncalled"] = uncalled();
    all["early"] = early();
    all["last step"] = lastStepOnly();
    all["copies"] = otherWork(true);
    all["copies without calls"] = otherWork(false);
    all["copies without sizes"] = otherWork(true, false);
    all["graph"] = wholeGraph();
    all["one rank"] = alone(reducing(0, "0"));
    Workspace strangers = alone(reducing(0, "a"));
    strangers.add(reducing(1, "b"));
    all["strangers"] = strangers;
    Workspace roots = alone(reducing(0, "0", "broadcast"));
    roots.add(reducing(1, "0", "broadcast"));
    all["broadcasts"] = roots;
    Workspace nameless = alone(unnamed(0));
    nameless.add(unnamed(1));
    all["unnamed"] = nameless;
    all["instant"] = instant();
    all["migrations"] = otherWork(true, true, CopyKind::unifiedHostToDevice);
    all["memory"] = alone(test::madeMemory({}));
    return all;
}

struct EmptyTable {
    const char* what;
    const char* reports;
    const char* sentence;
};

constexpr EmptyTable kNamed[] = {
    {"cuda_gpu_kern_pace:name=gem", "uncalled", "No row in scope is named exactly 'gem' (option name)."},
    {"nvtx_pace:name=step", "uncalled", "No row in scope is named exactly 'step' (option name)."},
    {"step_breakdown:steps=batch", "uncalled", "No range in scope is named exactly 'batch' (option steps)."},
    {"critical_path:steps=batch", "uncalled", "No range in scope is named exactly 'batch' (option steps)."},
    {"gpu_gaps:nvtx=step", "uncalled", "No NVTX range is named 'step' (option nvtx)."},
    {"gpu_gaps:nvtx=init", "uncalled", "No row overlaps the NVTX range 'init' (option nvtx)."},
    {"gpu_time_util:start=400", "uncalled", "No row overlaps the time between the options start and end."},
    {"cuda_gpu_kern_hist:kernels=0", "uncalled",
     "The limit is 0 (2 found). Raise the limit (option kernels)."},
    {"gpu_gaps:gap=0:rows=0", "uncalled", "The limit is 0 (1 found). Raise the limit (option rows)."},
    {"bottlenecks:gpu_util=50", "uncalled",
     "No bottleneck: the lowest GPU utilization is 75.0 % (option "
     "gpu_util), the highest share of communication is 0.0 % (option comm), "
     "the slowest kernel takes 100 ns on average (option slow)."},
    {"diff", "uncalled",
     "Nothing to compare: all rows of cuda_gpu_kern_sum belong to one report, made.sqlite."},
    {"diff:by=rank", "uncalled", "Nothing to compare: no row of cuda_gpu_kern_sum has a known rank."},
};

constexpr EmptyTable kUncalled[] = {
    {"cuda_kern_exec_sum", "uncalled", "None of the kernels in scope (2) has a recorded launch call."},
    {"cuda_kern_exec_trace", "uncalled",
     "No kernel has a recorded launch call. cuda_gpu_trace lists kernels without their calls."},
    {"nvtx_gpu_proj_sum", "uncalled",
     "No NVTX range in scope contains a call with a "
     "recorded launch of kernels, copies or memsets."},
    {"nvtx_gpu_proj_trace", "uncalled",
     "No NVTX range in scope contains a call with a "
     "recorded launch of kernels, copies or memsets."},
    {"nvtx_kern_sum", "early",
     "No NVTX range is in scope: kernels of reports without NVTX ranges are left out."},
    {"queue_length", "uncalled",
     "None of the rows of GPU work in scope (2) has a recorded launch "
     "call, such as cudaLaunchKernel or cudaMemcpyAsync."},
    {"launch_stats", "uncalled",
     "None of the rows of GPU work in scope (2) has a recorded launch "
     "call, such as cudaLaunchKernel or cudaMemcpyAsync."},
    {"queue_length", "early",
     "None of the rows of GPU work in scope (1) starts after a recorded "
     "launch call. Count rows that start before it (option hta)."},
    {"cuda_api_sync", "uncalled",
     "None of the CUDA API calls in scope (1) is a cudaDeviceSynchronize or cudaStreamSynchronize."},
    {"cuda_memcpy_async", "copies without calls",
     "None of the copies in scope (1) has a recorded call: no correlation ID links them."},
    {"cuda_memcpy_async", "copies",
     "None of the copies in scope (1) is an asynchronous copy of pageable memory."},
    {"cuda_memcpy_sync", "copies",
     "None of the copies in scope (1) is a synchronous copy that blocks the host."},
    {"cuda_memset_sync", "copies",
     "None of the memsets in scope (1) is a synchronous memset of pinned or managed memory."},
};

constexpr const char* kOfLastStep =
    "None of the rows of GPU work in scope (1) was launched by a recorded call "
    "before the last ProfilerStep. Count all of them (option allsteps).";

constexpr EmptyTable kOther[] = {
    {"temporal_breakdown", "last step", kOfLastStep},
    {"idle_breakdown", "last step", kOfLastStep},
    {"kernel_breakdown", "last step", kOfLastStep},
    {"comm_comp_overlap", "last step", kOfLastStep},
    {"launch_stats", "last step", kOfLastStep},
    {"memory_bandwidth", "last step", kOfLastStep},
    {"memory_bandwidth", "copies without sizes",
     "None of the copies and memsets in scope (2) has both a size and a duration."},
    {"cuda_gpu_mem_size_sum", "copies without sizes",
     "None of the copies and memsets in scope (2) has a size."},
    {"cuda_gpu_kern_sum", "graph",
     "No individual kernels were recorded: CUDA graphs were recorded as a whole "
     "(launches: 1). nsys profile --cuda-graph-trace=node records their kernels."},
    {"gpu_metric_util_map", "graph",
     "None of the counters in scope (1) is SMs Active, SM Issue or Tensor Active."},
    {"stragglers", "one rank", "Only one rank has collectives (3). Open the reports of other ranks."},
    {"collectives", "strangers", "No collectives (6 on 2 ranks) match across ranks."},
    {"kernel_breakdown", "instant",
     "None of the rows of GPU work in scope (1) is of a known class and longer than 0 ns."},
    {"collectives", "broadcasts",
     "3 matched collectives have no wait times because not all their "
     "ranks wait for each other: broadcast or scatter (3)."},
    {"collectives", "unnamed",
     "No collectives (6 on 2 ranks) match across ranks: too few collectives overlap (1 rank)."},
    {"um_sum", "migrations",
     "None of the transfers and page faults in scope (1) has an address: launch "
     "configurations and other row details are not recorded in 1 of 1 reports, first in "
     "made.sqlite."},
    {"osrt_sum", "uncalled", "The reports contain no OS runtime calls."},
};

} // namespace

class EmptyTablesTest : public QObject {
    Q_OBJECT

  private slots:
    void eachGivesItsReason_data()
    {
        QTest::addColumn<QString>("what");
        QTest::addColumn<QString>("reports");
        QTest::addColumn<QString>("sentence");
        for (const std::span<const EmptyTable> rows :
             {std::span<const EmptyTable>(kNamed), std::span<const EmptyTable>(kUncalled),
              std::span<const EmptyTable>(kOther)}) {
            for (const EmptyTable& row : rows)
                QTest::addRow("%s of %s", row.what, row.reports) << row.what << row.reports << row.sentence;
        }
    }

    void eachGivesItsReason()
    {
        QFETCH(const QString, what);
        QFETCH(const QString, reports);
        QFETCH(const QString, sentence);
        const Workspace workspace = m_reports.at(reports.toStdString());
        const Table table = tableOf(what.toStdString(), workspace, {});
        QCOMPARE(table.rowCount(), size_t(0));
        QCOMPARE(QString::fromStdString(emptyTableText(*findAnalysis(what.toStdString()), table.source)),
                 sentence);
    }

    // Rows that a filter hides don't change the table's own reason.
    void filtersAreListed()
    {
        Scope scope;
        QVERIFY(scope.addFilter("name", "gelu"));
        const auto reasonOf = [&](const char* what, const char* reports) {
            const Table table = tableOf(what, m_reports.at(reports), scope);
            return table.rowCount() > 0 ? "rows" : emptyTableText(*findAnalysis(what), table.source);
        };
        QCOMPARE(reasonOf("cuda_kern_exec_sum", "early"),
                 std::string("The reports contain no kernels and the calls that launched them that match ") +
                     scope.description().front() + ".");
        QCOMPARE(
            reasonOf("cuda_memcpy_async", "copies"),
            std::string("None of the copies in scope (1) is an asynchronous copy of pageable memory by a "
                        "call that matches the name filter."));
        QCOMPARE(reasonOf("memory_peak", "memory"),
                 std::string("None of the memory histories in scope (1) has stacks with active memory at the "
                             "peak of their device that match the name filter."));
        QCOMPARE(reasonOf("cuda_api_sync", "uncalled"),
                 std::string("None of the CUDA API calls in scope (1) is a cudaDeviceSynchronize or "
                             "cudaStreamSynchronize that matches the name filter."));
        Scope groups;
        groups.by = GroupBy::communicator;
        QCOMPARE(tableOf("comm_comp_overlap", m_reports.at("uncalled"), groups).source.whenEmpty,
                 std::string("None of the rows of GPU work in scope (2) is communication."));
        Scope cut;
        cut.time = TimeRange{{0}, {50}};
        cut.clip = Clip::exclude;
        QCOMPARE(tableOf("step_breakdown", m_reports.at("last step"), cut).source.whenEmpty,
                 std::string("None of the training steps in scope (1) lies within "
                             "the time range: clipped steps are left out."));
    }

    void notesAreInWorkspaceFiles()
    {
        const Workspace& workspace = m_reports.at("early");
        const ScenePtr scene = makeHeadlessScene(workspace, alignReports(workspace, {}));
        QCOMPARE(notesTable("notes", {}, *scene, {}).source.whenEmpty,
                 std::string("No markers are set. Workspace files store them."));
        MarkList marks;
        QVERIFY(marks.add(markOfTime(*scene, {5}, {}, 0)));
        Scope streams;
        QVERIFY(streams.addFilter("stream", "7"));
        QCOMPARE(notesTable("notes", marks, *scene, streams).source.whenEmpty,
                 std::string("None of the markers (1) matches the filters."));
    }

  private:
    static Table tableOf(std::string_view what, const Workspace& workspace, const Scope& scope)
    {
        return runAnalysis(what, *makeHeadlessScene(workspace, alignReports(workspace, {})), scope,
                           Progress(test::workers()))
            .value();
    }

    const std::map<std::string, Workspace> m_reports = reports();
};

LOCKSTEP_TEST(EmptyTablesTest, "empty_tables_test")
#include "empty_tables_test.moc"
