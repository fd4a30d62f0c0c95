// SPDX-License-Identifier: Apache-2.0
// Tests operator_stats on a generated report: nested and recursive operators, work launched inside and
// outside of them, on several threads; and compares a public trace with an independent count over its JSON.
#include "core/analysis/analysis.h"
#include "core/readers/reader.h"
#include "tests/support/places.h"
#include "tests/support/row_report.h"
#include "tests/support/table_text.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;
using lockstep::test::columnCells;
using lockstep::test::RowReport;

namespace {

Table operatorsOf(const Workspace& workspace, std::string_view what = "operator_stats")
{
    return runAnalysis(what, *makeHeadlessScene(workspace, alignReports(workspace, {})), {},
                       Progress(test::workers()))
        .value();
}

using Cells = std::vector<std::string>;

} // namespace

class OperatorStatsTest : public QObject {
    Q_OBJECT

  private slots:
    void selfAndTotalTimes()
    {
        RowReport report("ops.json");
        report.op(1, "linear", 0, 100);
        report.op(1, "mm", 20, 80);
        report.op(1, "mm", 30, 70);              // inside one of the same name
        report.launch("gemm", 40, 200, 250, 1);  // inside both mm and linear
        report.launch("gemm", 85, 250, 260, 1);  // inside linear
        report.launch("gemm", 300, 400, 410, 1); // outside of all
        report.op(2, "mm", 0, 1000);             // another thread: not inside the first thread's operators
        report.launch("gemm", 500, 600, 603, 2);
        const Table table = operatorsOf(report.made());
        QCOMPARE(columnCells(table, "Name"), (Cells{"linear", "mm"}));
        QCOMPARE(columnCells(table, "Calls"), (Cells{"1", "3"}));
        QCOMPARE(columnCells(table, "Self CPU"), (Cells{"40", "1060"}));
        QCOMPARE(columnCells(table, "CPU total"), (Cells{"100", "1060"}));
        QCOMPARE(columnCells(table, "Self GPU"), (Cells{"10", "53"}));
        QCOMPARE(columnCells(table, "GPU total"), (Cells{"60", "53"}));
        QCOMPARE(columnCells(table, "Launched"), (Cells{"2", "2"}));
    }

    void emptyReportsMakeNoRows()
    {
        RowReport report("ops.json");
        report.launch("gemm", 40, 200, 250, 1);
        QCOMPARE(operatorsOf(report.made()).rowCount(), size_t(0));
    }

    // Counted by a plain walk over the trace's JSON: operator calls, and their kernels, copies and memsets by
    // correlation id, total and self.
    void publicTraceEqualsItsJson()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        const auto file = test::sharedData("kineto") / "ns_resolution.rank-0.pt.trace.json.gz";
        Workspace workspace;
        workspace.add(readReport(file, Progress(test::workers())).value());
        const Table table = operatorsOf(workspace);
        QCOMPARE(table.rowCount(), size_t(89));
        int64_t own_ns = 0;
        for (size_t row = 0; row < table.rowCount(); ++row)
            own_ns += table.number(table.columnNamed("Self GPU"), row);
        QCOMPARE(own_ns, int64_t(472'454'441));
        QCOMPARE(table.cell(table.columnNamed("Name"), 2), std::string("aten::convolution_backward"));
        QCOMPARE(table.number(table.columnNamed("Calls"), 2), int64_t(265));
        QCOMPARE(table.number(table.columnNamed("GPU total"), 2), int64_t(211'579'113));
        QCOMPARE(table.number(table.columnNamed("Self GPU"), 2), int64_t(211'579'113));
        QCOMPARE(table.number(table.columnNamed("Launched"), 2), int64_t(1465));
        QCOMPARE(columnCells(operatorsOf(workspace, "operator_stats:sort=self_cpu"), "Name").size(),
                 size_t(89));
    }
};

LOCKSTEP_TEST(OperatorStatsTest, "operator_stats_test")
#include "operator_stats_test.moc"
