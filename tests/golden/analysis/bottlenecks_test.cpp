// SPDX-License-Identifier: Apache-2.0
// Tests bottlenecks on a generated report: each rule just above and just below its threshold, its cost, and
// the order of the findings.
#include "core/analysis/analysis.h"
#include "tests/support/row_report.h"
#include "tests/support/table_text.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;
using lockstep::test::columnCells;
using lockstep::test::RowReport;

namespace {

using Cells = std::vector<std::string>;

Table bottlenecksOf(const Workspace& workspace, const std::string& arguments = {})
{
    return runAnalysis("bottlenecks" + arguments, *makeHeadlessScene(workspace, alignReports(workspace, {})),
                       {}, Progress(test::workers()))
        .value();
}

// The GPU is busy from 0 to 400 and from 600 to 1000: 80 %. Communication takes 300 of 900, 100 of it
// concurrent with computation.
Workspace training()
{
    RowReport report;
    report.kernel("gemm", 0, 200);
    report.kernel("gemm", 600, 1000);
    report.kernel("ncclDevKernel_AllReduce", 200, 400, SliceCategory::communication, 8);
    report.kernel("ncclDevKernel_AllReduce", 600, 700, SliceCategory::communication, 8);
    return report.made();
}

} // namespace

class BottlenecksTest : public QObject {
    Q_OBJECT

  private slots:
    void worstFindingIsFirst()
    {
        const Table table = bottlenecksOf(training(), ":gpu_util=90:gpu_util_high=85:slow=299ns");
        QCOMPARE(columnCells(table, "rule"),
                 (Cells{"low_gpu_utilization", "slow_kernels", "high_communication_overhead"}));
        QCOMPARE(columnCells(table, "severity"), (Cells{"high", "medium", "medium"}));
        QCOMPARE(columnCells(table, "value"), (Cells{"80.00", "0.00", "33.33"}));
        QCOMPARE(columnCells(table, "cost"), (Cells{"200", "600", "200"}));
        QVERIFY(columnCells(table, "evidence")[1].starts_with("2 of gemm"));
        // A finding links to the slice that ended the idle time and to the longest of the others.
        QVERIFY(table.longest(0).isValid() && table.longest(1).isValid() && table.longest(2).isValid());
    }

    void thresholdsAreArguments()
    {
        QCOMPARE(bottlenecksOf(training(), ":comm=34").rowCount(), size_t(0)); // 80 % is not below 80
        QCOMPARE(columnCells(bottlenecksOf(training(), ":comm=33"), "rule"),
                 Cells{"high_communication_overhead"});
        QCOMPARE(columnCells(bottlenecksOf(training(), ":comm=34:gpu_util=80.5"), "severity"),
                 Cells{"medium"});
        QCOMPARE(bottlenecksOf(training(), ":comm=34:slow=300ns").rowCount(), size_t(0));
        QCOMPARE(bottlenecksOf(training(), ":comm=34:slow=1ns:kernels=0").rowCount(), size_t(0));
    }

    void hiddenTimeCostsLittle()
    {
        RowReport report;
        report.kernel("gemm", 0, 1000);
        report.kernel("ncclDevKernel_AllReduce", 100, 900, SliceCategory::communication, 8);
        const Table table = bottlenecksOf(report.made());
        QCOMPARE(columnCells(table, "severity"), Cells{"low"});
        QCOMPARE(columnCells(table, "cost"), Cells{"0"});
    }

    void emptyReportsMakeNoRows()
    {
        RowReport report;
        report.range("step", 0, 100);
        QCOMPARE(bottlenecksOf(report.made()).rowCount(), size_t(0));
    }
};

LOCKSTEP_TEST(BottlenecksTest, "bottlenecks_test")
#include "bottlenecks_test.moc"
