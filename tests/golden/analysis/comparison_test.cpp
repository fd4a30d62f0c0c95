// SPDX-License-Identifier: Apache-2.0
// Tests the comparison of a table with the same table of another run: the joined rows, the changes, their
// certainty, and whether the two runs may be compared at all.
#include "core/analysis/comparison.h"

#include <cmath>

#include "core/analysis/analysis.h"
#include "core/analysis/student_t.h"
#include "tests/support/job_report.h"
#include "tests/support/row_report.h"
#include "tests/support/table_text.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;
using lockstep::test::columnCells;
using lockstep::test::RowReport;

namespace {

using Cells = std::vector<std::string>;

Table comparedTable(const std::string& what, const Workspace& workspace, const Scope& scope = {})
{
    return runAnalysis(what, *makeHeadlessScene(workspace, alignReports(workspace, {})), scope,
                       Progress(test::workers()))
        .value();
}

// Generates kernels of these durations, one after another.
Workspace kernelRun(const std::vector<std::pair<const char*, int64_t>>& kernels)
{
    RowReport report;
    int64_t at = 0;
    for (const auto& [name, length] : kernels) {
        report.kernel(name, at, at + length);
        at += length;
    }
    return report.made();
}

} // namespace

class ComparisonTest : public QObject {
    Q_OBJECT

  private slots:
    void beforeAfterAndChange()
    {
        const Table before =
            comparedTable("cuda_gpu_kern_sum", kernelRun({{"gemm", 100}, {"gemm", 140}, {"gone", 40}}));
        const Table after =
            comparedTable("cuda_gpu_kern_sum", kernelRun({{"gemm", 170}, {"gemm", 190}, {"fresh", 7}}));
        const Table table = compareTables(before, after);
        QCOMPARE(columnCells(table, "Name"), (Cells{"gemm", "fresh", "gone"}));
        QCOMPARE(columnCells(table, "In"), (Cells{"both", "after", "before"}));
        QCOMPARE(columnCells(table, "Total Time Before"), (Cells{"240", "", "40"}));
        QCOMPARE(columnCells(table, "Total Time After"), (Cells{"360", "7", ""}));
        QCOMPARE(columnCells(table, "Total Time Change"), (Cells{"120", "", ""}));
        QCOMPARE(columnCells(table, "Total Time Change %"), (Cells{"50.00", "", ""}));
        QCOMPARE(columnCells(table, "Avg Change"), (Cells{"60.0", "", ""}));
        QCOMPARE(columnCells(table, "Time Change"), (Cells{"12.4", "", ""})); // points: 85.7 to 98.1
        QCOMPARE(table.columnNamed("Time Change %"), table.columnCount());
        const auto interval = confidenceOfChange({2, 120, std::sqrt(800.0)}, {2, 180, std::sqrt(200.0)});
        QVERIFY(std::abs(table.value(table.columnNamed("Avg Change Low"), 0) - interval->low) < 1);
        QVERIFY(std::abs(table.value(table.columnNamed("Avg Change High"), 0) - interval->high) < 1);
        QCOMPARE(columnCells(table, "Beyond Noise"), (Cells{"no", "", ""}));
        QVERIFY(table.longest(0).isValid() && table.longest(1).isValid() && !table.longest(2).isValid());
        QVERIFY(comparedTable("cuda_gpu_kern_sum", Workspace()).rowCount() == 0);
        const Table none = compareTables(comparedTable("cuda_gpu_kern_sum", Workspace()), after);
        QCOMPARE(columnCells(none, "In"), (Cells{"after", "after"}));
    }

    void aRealChangeIsBeyondNoise()
    {
        std::vector<std::pair<const char*, int64_t>> slow, fast;
        for (int i = 0; i < 20; ++i) {
            slow.emplace_back("gemm", 1000 + i);
            fast.emplace_back("gemm", 1100 + i);
        }
        const Table table = compareTables(comparedTable("cuda_gpu_kern_sum", kernelRun(slow)),
                                          comparedTable("cuda_gpu_kern_sum", kernelRun(fast)));
        QCOMPARE(columnCells(table, "Beyond Noise"), Cells{"yes"});
    }

    void runComparedWithItselfHasNoChange()
    {
        Workspace workspace;
        workspace.add(test::jobReport({.rank = 0, .host = "n0", .role = "actor", .utcAtZero_ns = 1'000'000}));
        workspace.add(test::jobReport(
            {.path = "rank1.sqlite", .rank = 1, .host = "n0", .role = "actor", .utcAtZero_ns = 1'000'000}));
        for (const GroupBy by : {GroupBy::total, GroupBy::rank}) {
            Scope scope;
            scope.by = by;
            for (const Analysis& analysis : analyses()) {
                const Table once = comparedTable(std::string(analysis.name), workspace, scope);
                const Table table = compareTables(once, once);
                QCOMPARE(table.rowCount(), once.rowCount());
                for (size_t column = 0; column < table.columnCount(); ++column) {
                    const std::string name = table.column(column).name;
                    const bool isChange = name.ends_with("_change") || name.ends_with("Change") ||
                                          name.ends_with("_pctg") || name.ends_with("Change %");
                    for (size_t row = 0; row < table.rowCount(); ++row) {
                        if (name == "in" || name == "In")
                            QCOMPARE(table.cell(column, row), std::string("both"));
                        if (isChange && name.find("hange") != name.npos && table.hasNumber(column, row))
                            QCOMPARE(table.number(column, row), int64_t(0));
                    }
                }
            }
        }
    }

    void rowsWithTheSameNameAreJoinedInOrderWithANote()
    {
        Table before("t", "T"), after("t", "T");
        for (Table* const table : {&before, &after}) {
            table->headerStyle = HeaderStyle::identifier;
            table->addColumn({"name", "", ColumnType::text, 0, ""});
            table->addColumn({"count", "", ColumnType::integer, 0, ""});
            for (int i = 0; i < (table == &before ? 3 : 2); ++i) {
                table->addRow();
                table->setText(0, "same");
                table->setNumber(1, i + (table == &after ? 10 : 0));
            }
        }
        const Table table = compareTables(before, after);
        QCOMPARE(columnCells(table, "count_before"), (Cells{"0", "1", "2"}));
        QCOMPARE(columnCells(table, "count_after"), (Cells{"10", "11", ""}));
        QCOMPARE(columnCells(table, "count_change_pctg"), (Cells{"", "1000.00", ""}));
        QVERIFY(std::ranges::any_of(table.source.rules, [](const std::string& rule) {
            return rule.starts_with("3 rows have the same names");
        }));
    }

    void comparabilityIsReported()
    {
        const auto made = [](const char* driver, int steps, int ranks) {
            Workspace workspace;
            for (int rank = 0; rank < ranks; ++rank) {
                RowReport report;
                report.identify(rank);
                report.report().facts.emplace_back("GPU driver", driver);
                for (int step = 0; step < steps; ++step)
                    report.range(("step " + std::to_string(step)).c_str(), step * 10, step * 10 + 10);
                workspace.add(report.finish());
            }
            return workspace;
        };
        QCOMPARE(differencesOf(made("550", 3, 2), made("550", 3, 2)), Cells{});
        QCOMPARE(differencesOf(made("550", 3, 2), made("560", 2, 1)),
                 (Cells{"GPU driver: before 550; after 560", "reports: before 2; after 1",
                        "ranks: before 2; after 1", "steps: before 3; after 2"}));
        QCOMPARE(differencesOf(Workspace(), made("550", 1, 1))[0],
                 std::string("GPU driver: before not recorded; after 550"));
    }

    void truncatedSlicesAreExcludedOnRequest()
    {
        const Workspace run = kernelRun({{"gemm", 100}, {"gemm", 100}, {"gemm", 100}});
        Scope scope;
        scope.time = TimeRange{{50}, {300}};
        const auto count = [&](const char* what, const char* column) {
            return columnCells(comparedTable(what, run, scope), column);
        };
        QCOMPARE(count("cuda_gpu_kern_sum", "Instances"), Cells{"3"});
        QCOMPARE(count("cuda_gpu_kern_sum", "Total Time"), Cells{"250"});
        QCOMPARE(count("temporal_breakdown", "kernel_time"), Cells{"300"});
        scope.clip = Clip::exclude;
        // A table of times per name still counts truncated slices, next to the statistics of complete ones.
        QCOMPARE(count("cuda_gpu_kern_sum", "Instances"), Cells{"3"});
        QCOMPARE(count("cuda_gpu_kern_sum", "Total Time"), Cells{"250"});
        QCOMPARE(count("cuda_gpu_kern_sum", "Min"), Cells{"100"});
        QCOMPARE(count("cuda_gpu_kern_sum", "Avg"), Cells{"100.0"});
        QCOMPARE(count("temporal_breakdown", "kernel_time"), Cells{"200"});
        const TableSource source = comparedTable("cuda_gpu_kern_sum", run, scope).source;
        QCOMPARE(source.cut, std::optional<int64_t>(1));
        QVERIFY(std::ranges::find(source.rules,
                                  "slices that overlap the time range are counted, with their durations "
                                  "clipped to it; 1 is clipped: the parts inside count in Total Time and "
                                  "Instances and are left out of Avg, Med, Min, Max and StdDev") !=
                source.rules.end());
        // If all slices are truncated, there are no statistics of complete ones, and none are shown.
        scope.time = TimeRange{{10}, {90}};
        QCOMPARE(count("cuda_gpu_kern_sum", "Instances"), Cells{"1"});
        QCOMPARE(count("cuda_gpu_kern_sum", "Total Time"), Cells{"80"});
        QCOMPARE(count("cuda_gpu_kern_sum", "Avg"), Cells{""});
        scope.clip = Clip::include;
        QCOMPARE(count("cuda_gpu_kern_sum", "Avg"), Cells{"80.0"});
        QVERIFY(comparedTable("cuda_gpu_kern_sum", run, scope)
                    .source.rules.front()
                    .ends_with("count everywhere"));
    }
};

LOCKSTEP_TEST(ComparisonTest, "comparison_test")
#include "comparison_test.moc"
