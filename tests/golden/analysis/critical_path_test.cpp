// SPDX-License-Identifier: Apache-2.0
// Tests critical_path on generated steps: the cause of each delay over calls, streams and ranks, and that the
// path fills the step.
#include "core/analysis/analysis.h"
#include "tests/support/rank_report.h"
#include "tests/support/row_report.h"
#include "tests/support/table_text.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;
using lockstep::test::columnCells;
using lockstep::test::RankReport;
using lockstep::test::RowReport;

namespace {

using Cells = std::vector<std::string>;

Table pathOf(const Workspace& workspace, const Scope& scope = {})
{
    return runAnalysis("critical_path", *makeHeadlessScene(workspace, alignReports(workspace, {})), scope,
                       Progress(test::workers()))
        .value();
}

// Returns "kind name time" of each row.
Cells pathRows(const Table& table)
{
    Cells rows;
    for (size_t row = 0; row < table.rowCount(); ++row)
        rows.push_back(columnCells(table, "kind")[row] + " " + columnCells(table, "name")[row] + " " +
                       columnCells(table, "time")[row]);
    return rows;
}

int64_t sumOfTimes(const Table& table)
{
    int64_t sum_ns = 0;
    for (size_t row = 0; row < table.rowCount(); ++row)
        sum_ns += table.number(table.columnNamed("time"), row);
    return sum_ns;
}

} // namespace

class CriticalPathTest : public QObject {
    Q_OBJECT

  private slots:
    void fromTheEndOfAStepToItsBegin()
    {
        RowReport report;
        report.range("step 1", 0, 1000);
        report.launch("void gemm<int>(float*)", 100, 200, 600);
        report.launch("relu", 110, 610, 800);
        report.call("cudaStreamSynchronize_v3020", 120, 820);
        report.op(9, "aten::print", 900, 950);
        report.op(8, "another thread", 0, 1000);
        const Table table = pathOf(report.made());
        QCOMPARE(pathRows(table), (Cells{"compute gemm 400", "host step 1 230", "compute relu 190",
                                         "launch cudaLaunchKernel_v7000 100", "host aten::print 50",
                                         "sync cudaStreamSynchronize_v3020 20", "gap before relu 10"}));
        QCOMPARE(columnCells(table, "time_pctg")[0], std::string("40.00"));
        QCOMPARE(columnCells(table, "count")[1], std::string("3"));
        QCOMPARE(columnCells(table, "wall")[0], std::string("1000"));
        QVERIFY(table.longest(0).isValid());
    }

    void workThatWasLaunchedLateWaitedForItsCall()
    {
        RowReport report;
        report.range("step 1", 0, 1000);
        report.launch("gemm", 10, 20, 300);
        report.launch("relu", 400, 420, 900); // its stream was free since 300
        report.call("cudaDeviceSynchronize", 410, 1000);
        const Table table = pathOf(report.made());
        QCOMPARE(pathRows(table),
                 (Cells{"compute relu 480", "host step 1 395", "sync cudaDeviceSynchronize 100",
                        "launch cudaLaunchKernel_v7000 20", "cuda_api cudaLaunchKernel_v7000 5"}));
    }

    void workOfAnotherStreamDelays()
    {
        RowReport report;
        report.range("step 1", 0, 1000);
        report.kernel("copy", 100, 700, SliceCategory::compute, 13);
        report.launch("gemm", 50, 710, 900); // launched long before, on a free stream
        report.call("cudaDeviceSynchronize", 60, 1000);
        const Table table = pathOf(report.made());
        QCOMPARE(pathRows(table),
                 (Cells{"compute copy 600", "compute gemm 190", "sync cudaDeviceSynchronize 100",
                        "unrecorded no recorded call or earlier work 100", "gap before gemm 10"}));
        QVERIFY(std::ranges::any_of(table.source.rules, [](const std::string& rule) {
            return rule.starts_with("0 dependencies are recorded") &&
                   rule.find("; 2 are inferred") != rule.npos;
        }));
    }

    void stepWithoutDevicesIsHostTime()
    {
        RowReport report;
        report.range("step 1", 0, 100);
        report.call("cudaDeviceSynchronize", 20, 40);
        report.range("step 2", 150, 200);
        const Table table = pathOf(report.made());
        QCOMPARE(pathRows(table),
                 (Cells{"host step 1 80", "sync cudaDeviceSynchronize 20", "host step 2 50"}));
        QCOMPARE(pathOf(Workspace()).rowCount(), size_t(0));
    }

    // Rank 1 is late for every third collective, after a long gemm: there the path is on rank 1.
    void lastRankToArriveIsOnThePath()
    {
        Workspace workspace;
        for (int rank = 0; rank < 2; ++rank) {
            RankReport report(rank, "node", 1'000'000'000'000);
            report.report().identity.step.learn(1, "made", Confidence::stated);
            for (int k = 1; k <= 31; ++k) {
                const int64_t base_ns = int64_t(k) * 1'000'000;
                const bool isLate = k % 3 == 0;
                const int64_t start_ns =
                    base_ns + (rank == 1 && isLate ? 200'000 : 0) + (rank == 0 && !isLate ? 20'000 : 0);
                if (rank == 1 && isLate) report.addKernel(base_ns - 500'000, start_ns - 2'000, "late_gemm");
                CollectiveOp op;
                op.sequence = static_cast<uint64_t>(k);
                op.groupRanks = report.intern("[0, 1]");
                op.inElements = op.outElements = 1024;
                report.addCollective(start_ns, base_ns + (isLate ? 240'000 : 60'000), "allreduce", "0", op);
            }
            workspace.add(report.finish());
        }
        const Table table = pathOf(workspace);
        const Cells names = columnCells(table, "name"), members = columnCells(table, "member"),
                    times = columnCells(table, "time");
        const auto gemm = std::ranges::find(names, "late_gemm") - names.begin();
        QVERIFY(gemm < std::ssize(names));
        QCOMPARE(members[size_t(gemm)], std::string("rank 1"));
        QCOMPARE(times[size_t(gemm)], std::to_string(10 * 698'000));
        QVERIFY(std::ranges::find(members, "rank 0") != members.end());
        QCOMPARE(std::to_string(sumOfTimes(table)), columnCells(table, "wall")[0]);
        QCOMPARE(columnCells(table, "wall")[0], std::to_string(30'040'000));
        // Grouped by rank, the table has one path per rank.
        Scope byRank;
        byRank.by = GroupBy::rank;
        const Cells ranks = columnCells(pathOf(workspace, byRank), "Rank");
        QVERIFY(ranks.front() == "0" && ranks.back() == "1");
    }
};

LOCKSTEP_TEST(CriticalPathTest, "critical_path_test")
#include "critical_path_test.moc"
