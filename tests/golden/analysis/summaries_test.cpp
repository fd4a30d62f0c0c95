// SPDX-License-Identifier: Apache-2.0
// Tests the sums of nsys stats on a generated report: names, order, units, percentages, groups, time windows,
// longest instances.
#include "core/analysis/analysis.h"
#include "tests/support/job_report.h"
#include "tests/support/table_text.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;
using lockstep::test::columnCells;
using lockstep::test::jobReport;
using lockstep::test::tableText;

namespace {

Workspace twoRanks()
{
    Workspace workspace;
    workspace.add(jobReport(
        {.path = "rank1.sqlite", .rank = 1, .host = "n1", .role = "rollout", .utcAtZero_ns = 2000}));
    workspace.add(jobReport({.path = "rank0.sqlite",
                             .rank = 0,
                             .host = "n0",
                             .role = "actor",
                             .utcAtZero_ns = 1000,
                             .scale = 2}));
    return workspace;
}

Workspace oneReport()
{
    Workspace workspace;
    workspace.add(jobReport({}));
    return workspace;
}

Table summaryOf(std::string_view what, const Workspace& workspace, const Scope& scope = {})
{
    return runAnalysis(what, *makeHeadlessScene(workspace, alignReports(workspace, {})), scope,
                       Progress(test::workers()))
        .value();
}

} // namespace

class SummariesTest : public QObject {
    Q_OBJECT

  private slots:
    void kernels()
    {
        QCOMPARE(tableText(summaryOf("cuda_gpu_kern_sum", oneReport())),
                 std::string(
                     "Time (%) | Total Time (ns) | Instances | Avg (ns) | Med (ns) | Min (ns) | Max (ns) | "
                     "StdDev (ns) | Name\n"
                     "71.4 | 500 | 2 | 250.0 | 250.0 | 200 | 300 | 70.7 | gemm(float*)\n"
                     "28.6 | 200 | 1 | 200.0 | 200.0 | 200 | 200 | 0.0 | ncclAllReduce\n"));
        QCOMPARE(columnCells(summaryOf("cuda_gpu_kern_sum:base", oneReport()), "Name"),
                 (std::vector<std::string>{"gemm", "ncclAllReduce"}));
    }

    void memory()
    {
        QCOMPARE(
            tableText(summaryOf("cuda_gpu_mem_time_sum", oneReport())),
            std::string("Time (%) | Total Time (ns) | Count | Avg (ns) | Med (ns) | Min (ns) | Max (ns) | "
                        "StdDev (ns) | Operation\n"
                        "83.3 | 50 | 1 | 50.0 | 50.0 | 50 | 50 | 0.0 | [CUDA memcpy Host-to-Device]\n"
                        "16.7 | 10 | 1 | 10.0 | 10.0 | 10 | 10 | 0.0 | [CUDA memset]\n"));
        QCOMPARE(
            tableText(summaryOf("cuda_gpu_mem_size_sum", oneReport())),
            std::string(
                "Total (MB) | Count | Avg (MB) | Med (MB) | Min (MB) | Max (MB) | StdDev (MB) | Operation\n"
                "0.003 | 1 | 0.003 | 0.003 | 0.003 | 0.003 | 0.000 | [CUDA memcpy Host-to-Device]\n"
                "0.001 | 1 | 0.001 | 0.001 | 0.001 | 0.001 | 0.000 | [CUDA memset]\n"));
    }

    void callsAndRanges()
    {
        QCOMPARE(columnCells(summaryOf("cuda_api_sum", oneReport()), "Name"),
                 (std::vector<std::string>{"cuLaunchKernel", "cudaMemcpyAsync", "cudaLaunchKernel"}));
        QCOMPARE(columnCells(summaryOf("cuda_api_sum", oneReport()), "Num Calls"),
                 (std::vector<std::string>{"1", "1", "2"}));
        const std::string calls = tableText(summaryOf("osrt_sum", oneReport()));
        QCOMPARE(calls.substr(calls.find("Name\n")),
                 std::string("Name\n90.9 | 100 | 2 | 50.0 | 50.0 | 40 | 60 | 14.1 | poll\n"
                             "9.1 | 10 | 1 | 10.0 | 10.0 | 10 | 10 | 0.0 | read\n"));
        const Table ranges = summaryOf("nvtx_sum", oneReport());
        QCOMPARE(columnCells(ranges, "Range"),
                 (std::vector<std::string>{":step", ":epoch", ":forward", "NCCL:ncclAllReduce"}));
        QCOMPARE(columnCells(ranges, "Style"),
                 (std::vector<std::string>{"PushPop", "StartEnd", "PushPop", "PushPop"}));
        // The unclosed range ends with the last closed one, at 1300.
        QCOMPARE(columnCells(ranges, "Total Time"), (std::vector<std::string>{"1300", "1250", "520", "25"}));
        QCOMPARE(summaryOf("nvtx_pushpop_sum", oneReport()).rowCount(), size_t(3));
        QCOMPARE(columnCells(summaryOf("nvtx_startend_sum", oneReport()), "Range"),
                 (std::vector<std::string>{":epoch"}));
    }

    void categories()
    {
        const Table gpu = summaryOf("cuda_gpu_sum:base", oneReport());
        QCOMPARE(columnCells(gpu, "Category"),
                 (std::vector<std::string>{"CUDA_KERNEL", "CUDA_KERNEL", "MEMORY_OPER", "MEMORY_OPER"}));
        QCOMPARE(columnCells(gpu, "Time"), (std::vector<std::string>{"65.8", "26.3", "6.6", "1.3"}));
        const Table all = summaryOf("cuda_api_gpu_sum", oneReport());
        QCOMPARE(all.rowCount(), size_t(7));
        QCOMPARE(columnCells(all, "Operation").back(), std::string("cudaLaunchKernel"));
    }

    void groups()
    {
        Scope byRank;
        byRank.by = GroupBy::rank;
        QCOMPARE(
            tableText(summaryOf("cuda_gpu_kern_sum:base", twoRanks(), byRank)),
            std::string("Rank | Time (%) | Total Time (ns) | Instances | Avg (ns) | Med (ns) | Min (ns) | "
                        "Max (ns) | StdDev (ns) | Name\n"
                        "0 | 71.4 | 1000 | 2 | 500.0 | 500.0 | 400 | 600 | 141.4 | gemm\n"
                        "0 | 28.6 | 400 | 1 | 400.0 | 400.0 | 400 | 400 | 0.0 | ncclAllReduce\n"
                        "1 | 71.4 | 500 | 2 | 250.0 | 250.0 | 200 | 300 | 70.7 | gemm\n"
                        "1 | 28.6 | 200 | 1 | 200.0 | 200.0 | 200 | 200 | 0.0 | ncclAllReduce\n"));
        Scope byReport;
        byReport.by = GroupBy::report;
        QCOMPARE(columnCells(summaryOf("cuda_gpu_mem_time_sum", twoRanks(), byReport), "Report"),
                 (std::vector<std::string>{"rank1.sqlite", "rank1.sqlite", "rank0.sqlite", "rank0.sqlite"}));
        Scope byRole;
        byRole.by = GroupBy::role;
        QCOMPARE(columnCells(summaryOf("osrt_sum", twoRanks(), byRole), "Role"),
                 (std::vector<std::string>{"actor", "actor", "rollout", "rollout"}));
        Scope byStep;
        byStep.by = GroupBy::step;
        QCOMPARE(columnCells(summaryOf("osrt_sum", twoRanks(), byStep), "Step"),
                 (std::vector<std::string>{"", ""}));
        QCOMPARE(columnCells(summaryOf("cuda_gpu_kern_sum", twoRanks()), "Total Time"),
                 (std::vector<std::string>{"1500", "600"}));
    }

    void filters()
    {
        Scope scope;
        QVERIFY(scope.addFilter("rank", "1"));
        QVERIFY(scope.addFilter("name", "^nccl"));
        const Table table = summaryOf("cuda_gpu_kern_sum", twoRanks(), scope);
        QCOMPARE(columnCells(table, "Total Time"), (std::vector<std::string>{"200"}));
        QCOMPARE(columnCells(table, "Time"), (std::vector<std::string>{"100.0"}));
        QCOMPARE(table.source.filters, (std::vector<std::string>{"rank=1", "name=^nccl"}));
        Scope base;
        QVERIFY(base.addFilter("name", "^gemm$")); // the shown name, not the stored one
        QCOMPARE(summaryOf("cuda_gpu_kern_sum:base", oneReport(), base).rowCount(), size_t(1));
        QCOMPARE(summaryOf("cuda_gpu_kern_sum", oneReport(), base).rowCount(), size_t(0));
    }

    // The axis starts at the first timestamp of the first report, -10: aligned time is the report's own plus
    // 10.
    void windowsClip()
    {
        Scope scope;
        scope.time = TimeRange{{10 + 350}, {10 + 1000}};
        const Table kernels = summaryOf("cuda_gpu_kern_sum:base", oneReport(), scope);
        QCOMPARE(columnCells(kernels, "Name"), (std::vector<std::string>{"ncclAllReduce", "gemm"}));
        QCOMPARE(columnCells(kernels, "Total Time"),
                 (std::vector<std::string>{"200", "50"})); // 1000 is outside
        scope.time = TimeRange{{10 + 40}, {10 + 61}};
        QCOMPARE(columnCells(summaryOf("cuda_gpu_mem_size_sum", oneReport(), scope), "Total"),
                 (std::vector<std::string>{"0.003", "0.001"})); // sizes remain integers
        QCOMPARE(columnCells(summaryOf("cuda_gpu_mem_time_sum", oneReport(), scope), "Total Time"),
                 (std::vector<std::string>{"10", "1"}));
    }

    void rowsLinkToTheirLongestInstance()
    {
        const Workspace workspace = twoRanks();
        const Table table = summaryOf("cuda_gpu_kern_sum", workspace);
        const SliceRef longest = table.longest(0);
        QCOMPARE(longest.report, ReportKey(1u));
        QCOMPARE(workspace.report(longest.report).slices.duration_ns[longest.slice.value], int64_t(600));
    }

    void unknownNamesAndArguments()
    {
        const Workspace workspace = oneReport();
        const auto fail = [&](std::string_view what) {
            return runAnalysis(what, *makeHeadlessScene(workspace, alignReports(workspace, {})), {},
                               Progress(test::workers()))
                .error();
        };
        QCOMPARE(fail("cpu_gaps").kind, ErrorKind::invalid);
        QVERIFY(fail("cpu_gaps")
                    .message.find("inventory, alignment, stragglers, collectives, temporal_breakdown") !=
                std::string::npos);
        QCOMPARE(fail("osrt_sum:base").message,
                 std::string("osrt_sum: unknown argument ':base'; valid arguments: none"));
        QCOMPARE(
            fail("cuda_gpu_kern_sum:tangled").message,
            std::string(
                "cuda_gpu_kern_sum: unknown argument ':tangled'; valid arguments: :nvtx-name :base :mangled"));
    }

    void stopsWhenAsked()
    {
        const Workspace workspace = oneReport();
        std::stop_source stop;
        stop.request_stop();
        const auto table =
            runAnalysis("cuda_gpu_kern_sum", *makeHeadlessScene(workspace, alignReports(workspace, {})), {},
                        Progress(stop.get_token()));
        QCOMPARE(table.error().kind, ErrorKind::canceled);
    }

    void inventoryListsFailuresToo()
    {
        const Workspace workspace = twoRanks();
        std::vector<InputFile> inputs(3);
        inputs[0] = {"b.sqlite", 7, "beef", {}, Error{ErrorKind::corrupt, "b.sqlite: broken"}, {}};
        inputs[1] = {"r1", 4096, "cafe", ReportKey(0u), {}, {}};
        inputs[2] = {"r0", 4096, "", ReportKey(1u), {}, {}};
        const Alignment alignment = alignReports(workspace, {});
        const Table table = runAnalysis("inventory", *makeHeadlessScene(workspace, alignment), {},
                                        Progress(test::workers()), inputs)
                                .value();
        std::string columns;
        for (size_t i = 0; i < table.columnCount(); ++i)
            columns += table.column(i).name + " ";
        QCOMPARE(columns,
                 std::string(
                     "input kind producer schema run run_from host host_from role role_from rank rank_from "
                     "local_rank local_rank_from world_size world_size_from step step_from stage stage_from "
                     "tool tool_from capture_index capture_index_from replica replica_from replica_rank "
                     "replica_rank_from pid pid_from device start_utc duration size slices samples links "
                     "notes data_loss note_list file sha256 error same_as rows_kernel rows_sample "));
        const auto cells = [&](size_t row) {
            std::string out;
            for (size_t i = 0; i < table.columnCount(); ++i) {
                const std::string cell = table.cell(i, row);
                if (!cell.empty()) out += table.column(i).name + "=" + cell + "\n";
            }
            return out;
        };
        QCOMPARE(cells(0), std::string("input=b.sqlite\nsize=7\nsha256=beef\nerror=b.sqlite: broken\n"));
        QCOMPARE(
            cells(1),
            std::string(
                "input=r1\nkind=made\nproducer=a test\nhost=n1\nhost_from=test (stated)\n"
                "role=rollout\nrole_from=test (stated)\nrank=1\nrank_from=test (stated)\npid=42\n"
                "pid_from=process (stated)\ndevice=NVIDIA H100\n"
                "start_utc=1970-01-01T00:00:00.000001990Z\nduration=5010\nsize=4096\nslices=16\n"
                "samples=0\nlinks=4\nnotes=3\ndata_loss=2\nnote_list=data loss made.lost x2 (row 1); warning made.odd x1 (row 2)\n"
                "file=rank1.sqlite\n"
                "sha256=cafe\nrows_kernel=3\nrows_sample=5\n"));
        const Table notes = runAnalysis("inventory:notes", *makeHeadlessScene(workspace, alignment), {},
                                        Progress(test::workers()), inputs)
                                .value();
        QCOMPARE(tableText(notes),
                 std::string("input | severity | note | count | example | text\n"
                             "r1 | data loss | made.lost | 2 | row 1 | rows that a test lost\n"
                             "r1 | warning | made.odd | 1 | row 2 | odd rows\n"
                             "r0 | data loss | made.lost | 2 | row 1 | rows that a test lost\n"
                             "r0 | warning | made.odd | 1 | row 2 | odd rows\n"));
        Scope rank1;
        QVERIFY(rank1.addFilter("rank", "1"));
        QCOMPARE(runAnalysis("inventory", *makeHeadlessScene(workspace, alignment), rank1,
                             Progress(test::workers()), inputs)
                     ->rowCount(),
                 size_t(2));
    }

    void alignmentStatesItsBounds()
    {
        Workspace workspace = twoRanks();
        workspace.add(jobReport({.path = "nowhere.json"}));
        const std::string
            text = tableText(summaryOf("alignment", workspace)),
            expected(
                "report | clock_domain | method | offset_ns | drift_ppb | bound_ns | anchors | confidence | host | rank | shares_clock | verdict | correction_ns | statistical_error_ns | guaranteed_earliest_ns | guaranteed_latest_ns | drift_error_ppb | residual_ns | bursts | violations_before | violations_after | reason\nrank1.sqlite | test clock | wallclock | 1020 | 0 |  | 1 | wallclock | n1 | 1 | own | unmatched | 0 |  |  |  |  |  | 0 | 0 | 0 | the report has no collectives; used instead: the test says so; clocks of different hosts may disagree by milliseconds or more\nrank0.sqlite | test clock | wallclock | 20 | 0 |  | 1 | wallclock | n0 | 0 | own | unmatched | 0 |  |  |  |  |  | 0 | 0 | 0 | the report has no collectives; used instead: the test says so; clocks of different hosts may disagree by milliseconds or more\nnowhere.json | test clock | none | 10 | 0 |  | 0 | none |  |  | own | unmatched | 0 |  |  |  |  |  | 0 | 0 | 0 | the report has no collectives; used instead: the file records no wall clock; placed at zero, its true position is unknown\n");
        QVERIFY2(text == expected, text.c_str());
    }
};

LOCKSTEP_TEST(SummariesTest, "summaries_test")
#include "summaries_test.moc"
