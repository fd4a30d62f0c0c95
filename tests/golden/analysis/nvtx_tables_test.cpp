// SPDX-License-Identifier: Apache-2.0
// Tests tables of NVTX ranges on a generated report: the tree by containment across domains and crossing
// ranges, the kernels launched within a range, and the GPU time of each range.
#include <algorithm>
#include <span>
#include <tuple>

#include "core/analysis/analysis.h"
#include "tests/support/cpu_timer.h"
#include "tests/support/row_report.h"
#include "tests/support/slowness.h"
#include "tests/support/table_text.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;
using lockstep::test::columnCells;
using lockstep::test::RowReport;
using lockstep::test::tableText;

namespace {

Workspace nested()
{
    RowReport report("ranges.sqlite");
    report.range("step", 0, 1000);            // row 1
    report.range("forward", 100, 400);        // row 2
    report.range("crossing", 300, 620, 1);    // row 3: neither in forward nor around it
    report.range("inner", 320, 390);          // row 4: in both; forward has less to spare
    report.range("async", 50, 2000, 0, true); // row 5
    report.launch("gemm", 330, 500, 600);     // rows 6, 7: within inner
    report.launch("relu", 500, 600, 650);     // within crossing
    report.launch("late", 1500, 1600, 1700);  // within async alone
    report.launch("none", 2500, 2600, 2700);
    return report.made();
}

Table rangeTableOf(std::string_view what, const Workspace& workspace = nested())
{
    return runAnalysis(what, *makeHeadlessScene(workspace, alignReports(workspace, {})), {},
                       Progress(test::workers()))
        .value();
}

} // namespace

class NvtxTablesTest : public QObject {
    Q_OBJECT

  private slots:
    void theTreeIsByContainment()
    {
        const Table table = rangeTableOf("nvtx_pushpop_trace");
        QCOMPARE(columnCells(table, "NameTree"),
                 (std::vector<std::string>{":step", "--:forward", "--Domain 1:crossing", "----:inner"}));
        QCOMPARE(columnCells(table, "RangeStack"),
                 (std::vector<std::string>{":1", ":1:2", ":1:3", ":1:2:4"}));
        QCOMPARE(columnCells(table, "ParentId"), (std::vector<std::string>{"", "1", "1", "2"}));
        QCOMPARE(columnCells(table, "DurNonChild"), (std::vector<std::string>{"380", "230", "320", "70"}));
        QCOMPARE(columnCells(table, "NumChild"), (std::vector<std::string>{"2", "1", "0", "0"}));
    }

    // A program that pushes and never pops: every range stays open to the end, inside all earlier ones.
    void rangesThatNeverEnd()
    {
        constexpr int kLeaked = 20'000;
        RowReport report("ranges.sqlite");
        std::vector<std::tuple<const char*, int64_t, int64_t>> rows;
        for (int i = 0; i < kLeaked; ++i)
            rows.emplace_back("leaked", i, 10 * kLeaked);
        report.ranges(rows);
        report.range("last", kLeaked, kLeaked + 5);
        const Workspace workspace = report.made();
        const test::CpuTimer timer;
        const Table table = rangeTableOf("nvtx_pushpop_trace", workspace);
        QCOMPARE(table.rowCount(), size_t(kLeaked) + 1);
        QCOMPARE(table.cell(table.columnNamed("Lvl"), kLeaked), std::to_string(kLeaked));
        const std::string stack = table.cell(table.columnNamed("RangeStack"), kLeaked);
        QVERIFY2(stack.starts_with(":...:") && stack.ends_with(":20001"), stack.c_str());
        QCOMPARE(std::ranges::count(stack, ':'), ptrdiff_t(257));
        QVERIFY2(timer.elapsed_ms() < 5'000 * test::kSlowness, std::to_string(timer.elapsed_ms()).c_str());
    }

    // If a capture lost records, ranges are truncated at the loss, long before the last range ends.
    void truncatedRanges()
    {
        RowReport report;
        report.openRange("cut", 100, 150);
        report.range("last", 700, 1000);
        const Table sum = rangeTableOf("nvtx_sum", report.made());
        QCOMPARE(columnCells(sum, "Range"), (std::vector<std::string>{":last", ":cut"}));
        QCOMPARE(columnCells(sum, "Total Time"), (std::vector<std::string>{"300", "50"}));
    }

    void ncclCallsComeFromItsDomain()
    {
        RowReport report("ranges.sqlite");
        report.range("ncclAllReduce", 0, 10); // recorded by the program itself
        report.range("ncclAllReduce", 100, 130, 3);
        report.range("ncclAllReduce", 200, 210, 3);
        report.range("ncclGroupEnd", 300, 320, 3, true);
        report.nameDomain(3, "NCCL");
        const Table table = rangeTableOf("nccl_sum", report.made());
        QCOMPARE(columnCells(table, "Name"), (std::vector<std::string>{"ncclAllReduce", "ncclGroupEnd"}));
        QCOMPARE(columnCells(table, "Count"), (std::vector<std::string>{"2", "1"}));
        QCOMPARE(columnCells(table, "Total Time"), (std::vector<std::string>{"40", "20"}));
    }

    void paceIsByTheRepeatedRange()
    {
        RowReport report("ranges.sqlite");
        report.range("run", 0, 1000); // takes longest, and occurs once
        report.range("step", 100, 300);
        report.range("step", 310, 500);
        report.range("step", 505, 800);
        report.range("inner", 110, 120);
        report.range("inner", 320, 330);
        const Table table = rangeTableOf("nvtx_pace", report.made());
        QCOMPARE(table.source.rows, std::string("rows named \"step\""));
        QCOMPARE(columnCells(table, "Duration"), (std::vector<std::string>{"210", "195", ""}));
        QCOMPARE(columnCells(table, "Accumulated"), (std::vector<std::string>{"0", "210", "405"}));
        QCOMPARE(columnCells(table, "Delta"), (std::vector<std::string>{"0", "0", ""})); // alone
        QCOMPARE(rangeTableOf("nvtx_pace:name=no such range").rowCount(), size_t(0));
    }

    void kernelsCountForEveryRangeAroundTheirCall()
    {
        const Table table = rangeTableOf("nvtx_kern_sum");
        std::vector<std::string> lines;
        for (size_t row = 0; row < table.rowCount(); ++row)
            lines.push_back(table.cell(0, row) + " " + table.cell(1, row) + " " + table.cell(12, row) + " " +
                            table.cell(6, row));
        QCOMPARE(lines, (std::vector<std::string>{
                            "  none 100", ":async StartEnd gemm 100", ":async StartEnd late 100",
                            ":async StartEnd relu 50", ":forward PushPop gemm 100", ":inner PushPop gemm 100",
                            ":step PushPop gemm 100", ":step PushPop relu 50",
                            "Domain 1:crossing PushPop gemm 100", "Domain 1:crossing PushPop relu 50"}));
    }

    void rangesProjectedToTheGpu()
    {
        const Table trace = rangeTableOf("nvtx_gpu_proj_trace");
        QCOMPARE(columnCells(trace, "Name"),
                 (std::vector<std::string>{":async", ":step", "Domain 1:crossing", ":forward", ":inner"}));
        QCOMPARE(columnCells(trace, "Projected Duration"),
                 (std::vector<std::string>{"1200", "150", "150", "100", "100"}));
        QCOMPARE(columnCells(trace, "NumGPUOps"), (std::vector<std::string>{"3", "2", "2", "1", "1"}));
        const Table sum = rangeTableOf("nvtx_gpu_proj_sum");
        QCOMPARE(columnCells(sum, "Total Proj Time"),
                 (std::vector<std::string>{"1200", "150", "150", "100", "100"}));
    }

    void launchesAndTheirWaits()
    {
        QCOMPARE(columnCells(rangeTableOf("cuda_kern_exec_sum"), "QAvg"),
                 (std::vector<std::string>{"165.0", "95.0", "95.0", "95.0"}));
        QCOMPARE(columnCells(rangeTableOf("cuda_kern_exec_sum"), "API Name"),
                 (std::vector<std::string>(4, "cudaLaunchKernel")));
    }
};

LOCKSTEP_TEST(NvtxTablesTest, "nvtx_tables_test")
#include "nvtx_tables_test.moc"
