// SPDX-License-Identifier: Apache-2.0
// Compares the sums of nsys stats on the public reports with the known numbers, to the digit, and totals with
// plain SQL.
#include "core/analysis/analysis.h"
#include "core/readers/reader.h"
#include "tests/support/places.h"
#include "tests/support/sqlite_file.h"
#include "tests/support/table_text.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;
using lockstep::test::askSql;
using lockstep::test::columnCells;
using lockstep::test::sharedData;

namespace {

Workspace openedExports(const std::vector<std::string>& names)
{
    Workspace workspace;
    for (const std::string& name : names)
        workspace.add(readReport(sharedData(name), Progress(test::workers())).value());
    return workspace;
}

Table made(std::string_view what, const Workspace& workspace, const Scope& scope = {})
{
    return runAnalysis(what, *makeHeadlessScene(workspace, alignReports(workspace, {})), scope,
                       Progress(test::workers()))
        .value();
}

int64_t sumOf(const Table& table, std::string_view column)
{
    int64_t sum = 0;
    for (size_t row = 0; row < table.rowCount(); ++row)
        sum += table.number(table.columnNamed(column), row);
    return sum;
}

std::vector<std::string> rowCells(const Table& table, size_t row)
{
    std::vector<std::string> cells;
    for (size_t column = 0; column < table.columnCount(); ++column)
        cells.push_back(table.cell(column, row));
    return cells;
}

constexpr const char* kPowerIteration = "nsys/power_iteration_2025.3.sqlite";
constexpr const char* kH100 = "nsys/h100_2gpu_nccl_2026.2.sqlite";

} // namespace

class NsysStatsTest : public QObject {
    Q_OBJECT

  private slots:
    void powerIterationKernels()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        const Table table = made("cuda_gpu_kern_sum:base", openedExports({kPowerIteration}));
        QCOMPARE(table.rowCount(), size_t(10));
        QCOMPARE(rowCells(table, 0),
                 (std::vector<std::string>{"95.0", "1074732935", "432", "2487807.7", "2484200.0", "2404201",
                                           "2591941", "33111.6", "gemv2T_kernel_val"}));
        QCOMPARE(sumOf(table, "Total Time"), int64_t(1'131'742'684));
        QCOMPARE(sumOf(table, "Instances"), int64_t(3'689));
    }

    void powerIterationCalls()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        const Table table = made("cuda_api_sum", openedExports({kPowerIteration}));
        QCOMPARE(table.rowCount(), size_t(9));
        const std::vector<std::string> first = rowCells(table, 0);
        QCOMPARE(first[0], std::string("97.5"));
        QCOMPARE(first[1], std::string("1033980289"));
        QCOMPARE(first[2], std::string("89"));
        QCOMPARE(first[4], std::string("1880100.0"));
        QCOMPARE(first.back(), std::string("cudaMemcpyAsync"));
    }

    // Calls that are recorded again with a backtrace: separate rows by call, one row by name, as nsys stats
    // 2022.4 printed them.
    void callsRecordedTwice()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        const Workspace workspace = openedExports({"nsys/saxpy_mpi_2022.2.sqlite"});
        const Table calls = made("cuda_api_sum", workspace);
        QCOMPARE(calls.rowCount(), size_t(11));
        QCOMPARE(rowCells(calls, 3),
                 (std::vector<std::string>{"0.5", "5807903", "3", "1935967.7", "1964743.0", "1765730",
                                           "2077430", "157829.8", "cudaFree [backtrace]"}));
        const Table all = made("cuda_api_gpu_sum", workspace);
        QCOMPARE(all.rowCount(), size_t(10));
        QCOMPARE(rowCells(all, 5),
                 (std::vector<std::string>{"0.8", "11614164", "6", "1935694.0", "1964307.0", "1765310",
                                           "2077430", "141163.3", "CUDA_API", "cudaFree"}));
    }

    void h100Kernels()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        const Table table = made("cuda_gpu_kern_sum:base", openedExports({kH100}));
        QCOMPARE(table.rowCount(), size_t(15));
        QCOMPARE(sumOf(table, "Instances"), int64_t(3'442));
        QCOMPARE(sumOf(table, "Total Time"), int64_t(44'829'522));
    }

    void totalsEqualPlainSql_data()
    {
        QTest::addColumn<QString>("what");
        QTest::addColumn<QString>("count");
        QTest::addColumn<QString>("rows");
        QTest::newRow("kernels") << "cuda_gpu_kern_sum"
                                 << "Instances"
                                 << "CUPTI_ACTIVITY_KIND_KERNEL";
        QTest::newRow("calls") << "cuda_api_sum"
                               << "Num Calls"
                               << "CUPTI_ACTIVITY_KIND_RUNTIME";
        QTest::newRow("copies")
            << "cuda_gpu_mem_time_sum"
            << "Count"
            << "(SELECT start, end FROM CUPTI_ACTIVITY_KIND_MEMCPY UNION ALL SELECT start, end "
               "FROM CUPTI_ACTIVITY_KIND_MEMSET)";
        QTest::newRow("copies only") << "cuda_gpu_mem_time_sum"
                                     << "Count"
                                     << "CUPTI_ACTIVITY_KIND_MEMCPY";
        QTest::newRow("ranges") << "nvtx_pushpop_sum"
                                << "Instances"
                                << "NVTX_EVENTS WHERE eventType IN (59, 70) AND end IS NOT NULL";
        QTest::newRow("OS calls") << "osrt_sum"
                                  << "Num Calls"
                                  << "OSRT_API WHERE eventClass = 27";
    }
    void totalsEqualPlainSql()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        QFETCH(QString, what);
        QFETCH(QString, count);
        QFETCH(QString, rows);
        int compared = 0;
        for (const auto& entry : std::filesystem::directory_iterator(sharedData("nsys"))) {
            if (entry.path().extension() != ".sqlite") continue;
            const bool hasMemset =
                askSql(entry.path(), "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_MEMSET").value_or(0) > 0;
            if (rows == "CUPTI_ACTIVITY_KIND_MEMCPY" && hasMemset) continue;
            const std::string from = " FROM " + rows.toStdString();
            const auto expected = askSql(entry.path(), "SELECT count(*)" + from);
            if (!expected) continue; // the table is not in this file
            const Table table =
                made(what.toStdString(), openedExports({"nsys/" + entry.path().filename().string()}));
            QCOMPARE(sumOf(table, count.toStdString()), *expected);
            QCOMPARE(sumOf(table, "Total Time"),
                     *askSql(entry.path(), "SELECT coalesce(sum(end - start), 0)" + from));
            ++compared;
        }
        QVERIFY(compared > 0);
    }

    void bytesEqualPlainSql()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        const Table table = made("cuda_gpu_mem_size_sum", openedExports({kPowerIteration}));
        const int64_t bytes =
            *askSql(sharedData(kPowerIteration), "SELECT sum(bytes) FROM CUPTI_ACTIVITY_KIND_MEMCPY");
        QCOMPARE(table.rowCount(), size_t(1));
        QCOMPARE(sumOf(table, "Total"), (bytes + 500) / 1000);
    }

    void windowsAddUp()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        const Workspace workspace = openedExports({kH100});
        const int64_t whole = sumOf(made("cuda_gpu_sum", workspace), "Total Time");
        const TimeRange all = alignReports(workspace, {}).extent(workspace);
        int64_t parts = 0;
        constexpr int64_t kParts = 7;
        for (int64_t i = 0; i < kParts; ++i) {
            Scope scope;
            const int64_t length = all.length().ns + 1;
            scope.time =
                TimeRange{{all.begin.ns + length * i / kParts}, {all.begin.ns + length * (i + 1) / kParts}};
            parts += sumOf(made("cuda_gpu_sum", workspace, scope), "Total Time");
        }
        QCOMPARE(parts, whole);
    }

    void eightRanksAreEightGroups()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        std::vector<std::string> names;
        for (const auto& entry : std::filesystem::directory_iterator(sharedData("kineto/dlrm_8ranks"))) {
            names.push_back("kineto/dlrm_8ranks/" + entry.path().filename().string());
        }
        const Workspace workspace = openedExports(names);
        Scope scope;
        scope.by = GroupBy::rank;
        QVERIFY(scope.addFilter("name", "nccl"));
        const Table table = made("cuda_gpu_kern_sum", workspace, scope);
        std::vector<std::string> ranks = columnCells(table, "Rank");
        ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
        QCOMPARE(ranks, (std::vector<std::string>{"0", "1", "2", "3", "4", "5", "6", "7"}));
        const Table inventory = made("inventory", workspace);
        QCOMPARE(columnCells(inventory, "world_size"), std::vector<std::string>(8, "8"));
    }
};

LOCKSTEP_TEST(NsysStatsTest, "nsys_stats_test")
#include "nsys_stats_test.moc"
