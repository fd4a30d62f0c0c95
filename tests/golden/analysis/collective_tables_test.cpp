// SPDX-License-Identifier: Apache-2.0
// Tests stragglers and collectives on a generated run of two ranks on two hosts: which rank is late, by how
// much, and why.
#include "core/analysis/analysis.h"
#include "tests/support/rank_report.h"
#include "tests/support/synthetic_clocks.h"
#include "tests/support/table_text.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

constexpr int64_t kUtc_ns = 1'000'000'000'000;

// Collective k starts at k ms; every second one belongs to oddGroup. Rank 1 arrives 200 us late every third
// time, after a long gemm. Its clock is 50 us ahead.
std::shared_ptr<const Report> rankReport(int rank, const std::string& oddGroup)
{
    RankReport tableOf(rank, "node" + std::to_string(rank), kUtc_ns);
    const int64_t ahead_ns = rank == 1 ? 50'000 : 0;
    for (int k = 1; k <= 30; ++k) {
        const int64_t base_ns = int64_t(k) * 1'000'000 + ahead_ns;
        const bool isLate = k % 3 == 0;
        const int64_t start_ns = base_ns + (rank == 1 ? (isLate ? 200'000 : 0) : (isLate ? 0 : 20'000));
        const int64_t end_ns = base_ns + (isLate ? 240'000 : 60'000);
        if (rank == 1 && isLate) tableOf.addKernel(start_ns - 190'000, start_ns - 2'000, "gemm");
        CollectiveOp op;
        op.sequence = static_cast<uint64_t>(k);
        op.groupRanks = tableOf.intern("[0, 1]");
        op.dataType = tableOf.intern("Float");
        op.inElements = op.outElements = 1024;
        op.message_bytes = 4096;
        tableOf.addCollective(start_ns, end_ns, "allreduce", k % 2 == 0 ? "0" : oddGroup, op);
    }
    return tableOf.finish();
}

Workspace ranksWithCollectives(const std::string& oddGroup = "0")
{
    Workspace workspace;
    workspace.add(rankReport(0, oddGroup));
    workspace.add(rankReport(1, oddGroup));
    return workspace;
}

Table tableOf(std::string_view what, const Workspace& workspace, const Scope& scope = {})
{
    return runAnalysis(what, *makeHeadlessScene(workspace, alignReports(workspace, {})), scope,
                       Progress(test::workers()))
        .value();
}

std::string cell(const Table& table, std::string_view column, size_t row)
{
    return table.cell(table.columnNamed(column), row);
}

} // namespace

class CollectiveTablesTest : public QObject {
    Q_OBJECT

  private slots:
    void ranksSortedByCost()
    {
        const Table table = tableOf("stragglers", ranksWithCollectives());
        QCOMPARE(columnCells(table, "rank"), (std::vector<std::string>{"1", "0"}));
        QCOMPARE(columnCells(table, "host"), (std::vector<std::string>{"node1", "node0"}));
        QCOMPARE(cell(table, "collectives", 0), std::string("30"));
        QCOMPARE(columnCells(table, "times_last"), (std::vector<std::string>{"10", "20"}));
        QCOMPARE(cell(table, "last_share", 0), std::string("33.3"));
        // Rank 1 is last by 200 us ten times; the other rank is last by 20 us twenty times.
        QCOMPARE(columnCells(table, "caused_wait"), (std::vector<std::string>{"2000000", "400000"}));
        QCOMPARE(cell(table, "own_wait", 0), std::string("400000"));
        QCOMPARE(cell(table, "caused_share", 0), std::string("83.3"));
        QCOMPARE(cell(table, "doing", 0), std::string("gemm (10)"));
        QVERIFY(table.longest(0).isValid());
    }

    void oneRowPerCollective()
    {
        const Table table = tableOf("collectives", ranksWithCollectives());
        QCOMPARE(table.rowCount(), size_t(30)); // numbered, so that the first and the last count
        const size_t late = 2;                  // k = 3
        QCOMPARE(cell(table, "group", late), std::string("0"));
        QCOMPARE(cell(table, "collective", late), std::string("allreduce"));
        QCOMPARE(cell(table, "seq", late), std::string("3"));
        QCOMPARE(cell(table, "ranks", late), std::string("2"));
        QCOMPARE(cell(table, "dtype", late), std::string("Float"));
        QCOMPARE(cell(table, "message", late), std::string("4096"));
        QCOMPARE(cell(table, "transfer", late), std::string("40000"));
        QCOMPARE(cell(table, "longest_wait", late), std::string("200000"));
        QCOMPARE(cell(table, "total_wait", late), std::string("200000"));
        QCOMPARE(cell(table, "last", late), std::string("rank 1"));
        QCOMPARE(cell(table, "last_by_start", late), std::string("rank 1"));
        QCOMPARE(cell(table, "disputed", late), std::string());
        QCOMPARE(cell(table, "late_doing", late), std::string("gemm"));
        QCOMPARE(cell(table, "late_on", late), std::string("gpu"));
        // The skew equals the true one within its error, and its certain part is smaller.
        const int64_t skew_ns = table.number(table.columnNamed("skew"), late);
        const int64_t error_ns = table.number(table.columnNamed("skew_error"), late);
        QVERIFY(std::abs(skew_ns - 200'000) <= error_ns);
        QCOMPARE(table.number(table.columnNamed("net_skew"), late), skew_ns - error_ns);
    }

    void waitOfEachRank()
    {
        const Table table = tableOf("collectives:ranks", ranksWithCollectives());
        QCOMPARE(table.rowCount(), size_t(60));
        QCOMPARE(cell(table, "rank", 4), std::string("0"));
        QCOMPARE(cell(table, "wait", 4), std::string("200000"));
        QCOMPARE(cell(table, "wait", 5), std::string("0"));
        QCOMPARE(cell(table, "last", 5), std::string("yes"));
        Scope one;
        QVERIFY(one.addFilter("rank", "1"));
        QCOMPARE(tableOf("collectives:ranks", ranksWithCollectives(), one).rowCount(), size_t(30));
    }

    void sumsAndGroups()
    {
        const Table sums = tableOf("collectives:sum", ranksWithCollectives());
        QCOMPARE(sums.rowCount(), size_t(1));
        QCOMPARE(cell(sums, "count", 0), std::string("30"));
        QCOMPARE(cell(sums, "total_wait", 0), std::string("2400000"));
        QCOMPARE(cell(sums, "longest_wait", 0), std::string("200000"));
        QCOMPARE(cell(sums, "worst", 0), std::string("rank 1"));
        const Table groups = tableOf("collectives:groups", ranksWithCollectives());
        QCOMPARE(cell(groups, "ranks", 0), std::string("0-1"));
        QCOMPARE(cell(groups, "matched", 0), std::string("60"));
        QCOMPARE(cell(groups, "matched_by", 0), std::string("sequence"));
    }

    void scopeAndGroups()
    {
        Scope scope;
        scope.time = TimeRange{{0}, {10'500'000}};
        QCOMPARE(tableOf("collectives", ranksWithCollectives(), scope).rowCount(), size_t(11));
        Scope name;
        QVERIFY(name.addFilter("name", "broadcast"));
        QCOMPARE(tableOf("stragglers", ranksWithCollectives(), name).rowCount(), size_t(0));
        Scope hosts;
        hosts.by = GroupBy::host;
        QCOMPARE(columnCells(tableOf("stragglers", ranksWithCollectives(), hosts), "Host"),
                 (std::vector<std::string>{"node0", "node1"}));
    }

    void byCommunicator()
    {
        Scope scope;
        scope.by = GroupBy::communicator;
        const auto tableFor = [&](const char* what) {
            return tableOf(what, ranksWithCollectives("dp"), scope);
        };
        const Table late = tableFor("stragglers");
        QCOMPARE(columnCells(late, "Communicator"), (std::vector<std::string>{"0", "0", "dp", "dp"}));
        QCOMPARE(columnCells(late, "collectives"), (std::vector<std::string>{"15", "15", "15", "15"}));
        // The tables per group add up to the table over all groups.
        const Table whole = tableOf("stragglers", ranksWithCollectives("dp"));
        const auto sum = [](const Table& table) {
            int64_t caused_ns = 0;
            for (size_t row = 0; row < table.rowCount(); ++row)
                caused_ns += table.number(table.columnNamed("caused_wait"), row);
            return caused_ns;
        };
        QCOMPARE(sum(late), sum(whole));
        QCOMPARE(columnCells(tableFor("collectives:sum"), "group"), (std::vector<std::string>{"0", "dp"}));
        QCOMPARE(columnCells(tableFor("comm_comp_overlap"), "Communicator"),
                 (std::vector<std::string>{"0", "0", "dp", "dp"}));
        const Workspace ranks = ranksWithCollectives();
        const auto none = runAnalysis("cuda_gpu_kern_sum", *makeHeadlessScene(ranks, alignReports(ranks, {})),
                                      scope, Progress());
        QVERIFY(!none && none.error().kind == ErrorKind::invalid);
        QVERIFY(none.error().message.starts_with("cuda_gpu_kern_sum: rows have no communicator"));
    }

    void steps()
    {
        const SyntheticClocks clocks = makeSyntheticClocks({.hosts = 2, .ranksPerHost = 1, .steps = 4});
        Scope scope;
        scope.by = GroupBy::step;
        const Table table = tableOf("stragglers", clocks.workspace, scope);
        std::vector<std::string> steps = columnCells(table, "Step");
        QVERIFY(std::ranges::is_sorted(steps));
        steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
        QVERIFY(steps.size() >= 4);
    }

    void alignmentStatesItsBasis()
    {
        const Table table = tableOf("alignment", ranksWithCollectives());
        QCOMPARE(columnCells(table, "method"), (std::vector<std::string>{"reference", "collectives"}));
        QCOMPARE(cell(table, "verdict", 1), std::string("applied"));
        const int64_t correction_ns = table.number(table.columnNamed("correction"), 1);
        const int64_t error_ns = table.number(table.columnNamed("statistical_error"), 1);
        QVERIFY(std::abs(correction_ns + 50'000) <= error_ns);
        QVERIFY(table.number(table.columnNamed("guaranteed_earliest"), 1) <= 0);
        QVERIFY(table.number(table.columnNamed("guaranteed_latest"), 1) >= 0);
        QVERIFY(table.number(table.columnNamed("violations_before"), 1) > 0);
        QCOMPARE(cell(table, "violations_after", 1), std::string("0"));
        QVERIFY(table.hasNumber(table.columnNamed("residual"), 1));
        QCOMPARE(table.source.rules.front().substr(0, 7), std::string("basis: "));
    }

    void equalWhenRepeated()
    {
        const Workspace workspace = ranksWithCollectives();
        for (const char* what : {"alignment", "stragglers", "collectives", "collectives:sum"})
            QCOMPARE(tableText(tableOf(what, workspace)), tableText(tableOf(what, workspace)));
    }
};

LOCKSTEP_TEST(CollectiveTablesTest, "collective_tables_test")
#include "collective_tables_test.moc"
