// SPDX-License-Identifier: Apache-2.0
// Tests recipes: the histogram of kernels compared with a plain count, GPU metrics and network counters of
// generated exports, and changes between two reports.
#include "core/analysis/analysis.h"
#include "core/readers/reader.h"
#include "tests/support/launch_run.h"
#include "tests/support/nsys_sql.h"
#include "tests/support/row_report.h"
#include "tests/support/sqlite_file.h"
#include "tests/support/table_text.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

Result<Table> recipeOf(std::string_view what, const Workspace& workspace, const Scope& scope = {})
{
    return runAnalysis(what, *makeHeadlessScene(workspace, alignReports(workspace, {})), scope,
                       Progress(test::workers()));
}

Workspace openedSql(const std::string& sql)
{
    const TempDir folder;
    const std::filesystem::path path = folder.path() / "made.sqlite";
    if (!runSql(path, sql)) qFatal("no export was made");
    Workspace workspace;
    workspace.add(readReport(path, Progress(test::workers())).value());
    return workspace;
}

Workspace kernelsOfLengths(const std::vector<int64_t>& lengths)
{
    RowReport made;
    int64_t at = 100;
    for (const int64_t length : lengths) {
        made.kernel("k", at, at + length);
        at += length + 10;
    }
    return made.made();
}

constexpr const char* kMetricSql = R"(
CREATE TABLE TARGET_INFO_GPU(id INT, name TEXT, totalMemory INT, smCount INT, uuid TEXT);
INSERT INTO TARGET_INFO_GPU VALUES(0, 'NVIDIA H100', 85899345920, 132, 'aa-bb');
CREATE TABLE TARGET_INFO_GPU_METRICS(typeId INT, sourceId INT, typeName TEXT, metricId INT, metricName TEXT);
INSERT INTO TARGET_INFO_GPU_METRICS VALUES(256, 1, 'GPU', 1, 'SMs Active [Throughput %]'),
  (256, 1, 'GPU', 2, 'Tensor Active [Throughput %]'), (256, 1, 'GPU', 3, 'DRAM Read Bandwidth [Throughput %]');
CREATE TABLE GPU_METRICS(timestamp INT, typeId INT, metricId INT, value INT);
INSERT INTO GPU_METRICS VALUES(100, 256, 1, 10), (110, 256, 1, 21), (119, 256, 1, 100), (130, 256, 1, 40),
  (139, 256, 1, 60), (119, 256, 2, 7), (100, 256, 3, 99), (139, 256, 3, 99);
)";

constexpr const char* kNetworkSql = R"(
CREATE TABLE TARGET_INFO_NIC_INFO(nicId INT, name TEXT, GUID INT);
INSERT INTO TARGET_INFO_NIC_INFO VALUES(1, 'mlx5_0', 77);
CREATE TABLE NIC_ID_MAP(nicId INT, globalId INT);
INSERT INTO NIC_ID_MAP VALUES(1, 500);
CREATE TABLE TARGET_INFO_NETWORK_METRICS(metricsListId INT, metricsIdx INT, name TEXT, description TEXT, unit TEXT);
INSERT INTO TARGET_INFO_NETWORK_METRICS VALUES(1, 0, 'Bytes sent', '', 'B'), (1, 1, 'Bytes received', '', 'B');
CREATE TABLE NET_NIC_METRIC(start INT, end INT, globalId INT, portId INT, metricsListId INT, metricsIdx INT, value INT);
INSERT INTO NET_NIC_METRIC VALUES(0, 1000, 500, 1, 1, 0, 10), (1000, 3000, 500, 1, 1, 0, 60), (0, 1000, 500, 1, 1, 1, 0);
)";

} // namespace

class RecipesTest : public QObject {
    Q_OBJECT

  private slots:
    void histogram()
    {
        QCOMPARE(
            tableText(recipeOf("cuda_gpu_kern_hist:bins=4", kernelsOfLengths({10, 11, 20, 29, 29, 30, 49}))
                          .value()),
            std::string("Name | Bin | From (ns) | To (ns) | Instances | Share (%) | Up To (%)\n"
                        "k | 0 | 10 | 20 | 2 | 28.57 | 28.57\n"
                        "k | 1 | 20 | 30 | 3 | 42.86 | 71.43\n"
                        "k | 2 | 30 | 40 | 1 | 14.29 | 85.71\n"
                        "k | 3 | 40 | 50 | 1 | 14.29 | 100.00\n"));
        // All durations are equal and minimal: there is one bin instead of thirty.
        for (const std::vector<int64_t>& alike : {std::vector<int64_t>{5, 5, 5}, {0}, {7}}) {
            const Table one = recipeOf("cuda_gpu_kern_hist", kernelsOfLengths(alike)).value();
            QCOMPARE(one.rowCount(), size_t(1));
            QCOMPARE(columnCells(one, "Share"), (std::vector<std::string>{"100.00"}));
        }
        QCOMPARE(recipeOf("cuda_gpu_kern_hist", RowReport().made())->rowCount(), size_t(0));
    }

    void histogramEqualsAPlainCount()
    {
        std::vector<int64_t> lengths;
        for (int64_t n = 0; n < 2'000; ++n)
            lengths.push_back(3 + n * n % 977);
        for (const char* const what : {"cuda_gpu_kern_hist:bins=1", "cuda_gpu_kern_hist:bins=7",
                                       "cuda_gpu_kern_hist:bins=976", "cuda_gpu_kern_hist:bins=5000"}) {
            const Table table = recipeOf(what, kernelsOfLengths(lengths)).value();
            const size_t from = table.columnNamed("From"), to = table.columnNamed("To");
            QVERIFY(table.rowCount() > 0);
            for (size_t row = 0; row < table.rowCount(); ++row) {
                const auto isIn = [&](int64_t length) {
                    return length >= table.number(from, row) && length < table.number(to, row);
                };
                QCOMPARE(table.number(table.columnNamed("Instances"), row),
                         static_cast<int64_t>(std::ranges::count_if(lengths, isIn)));
                QVERIFY(table.number(from, row) < table.number(to, row));
                if (row > 0) QCOMPARE(table.number(from, row), table.number(to, row - 1));
            }
            QCOMPARE(table.number(to, table.rowCount() - 1), std::ranges::max(lengths) + 1);
        }
    }

    void excludedKernelsAreCounted()
    {
        RowReport made;
        made.kernel("long", 0, 100);
        made.kernel("short", 200, 210);
        const Table table = recipeOf("cuda_gpu_kern_hist:kernels=1", made.made()).value();
        QCOMPARE(columnCells(table, "Name"), (std::vector<std::string>{"long"}));
        QVERIFY(table.source.rules.at(1).starts_with("1 kernels with less total time are left out"));
    }

    // A bin without samples is empty, and so is a metric that the GPU does not have.
    void gpuMetrics()
    {
        const Table table =
            recipeOf("gpu_metric_util_map:bins=4", openedSql(kSessionSql + kMetricSql)).value();
        QCOMPARE(columnCells(table, "SM Active"), (std::vector<std::string>{"10.00", "60.50", "", "50.00"}));
        QCOMPARE(columnCells(table, "Tensor Active"), (std::vector<std::string>{"", "7.00", "", ""}));
        QCOMPARE(columnCells(table, "SM Issue"), (std::vector<std::string>(4)));
        QCOMPARE(columnCells(table, "Samples"), (std::vector<std::string>{"1", "2", "0", "2"}));
        QCOMPARE(columnCells(table, "Duration"), (std::vector<std::string>(4, "10")));
        QCOMPARE(recipeOf("gpu_metric_util_map", openedSql(kSessionSql + kGpuSql))->rowCount(), size_t(0));
    }

    void network()
    {
        QCOMPARE(
            tableText(recipeOf("network_sum", openedSql(kSessionSql + kNetworkSql)).value()),
            std::string(
                "Counter | Unit | Samples | Avg | Med | Min | Max | StdDev\n"
                "mlx5_0 port 1: Bytes received [B/s] | B/s | 1 | 0.000 | 0.000 | 0.000 | 0.000 | 0.000\n"
                "mlx5_0 port 1: Bytes sent [B/s] | B/s | 2 | 20000000.000 | 20000000.000 | 10000000.000 | "
                "30000000.000 | 14142135.624\n"));
        QCOMPARE(recipeOf("network_sum", openedSql(kSessionSql + kMetricSql))->rowCount(), size_t(0));
    }

    void differences()
    {
        RowReport before("a.sqlite"), after("b.sqlite");
        before.kernel("same", 0, 10);
        before.kernel("gone", 20, 50);
        before.kernel("slower", 60, 70);
        after.kernel("same", 0, 10);
        after.kernel("slower", 20, 45);
        after.kernel("slower", 50, 60);
        after.kernel("new", 70, 71);
        Workspace both = before.made();
        const Workspace second = after.made();
        both.add(second.shared(second.keys()[0]));
        QCOMPARE(tableText(recipeOf("diff", both).value()),
                 std::string(
                     "Delta (ns) | Delta (%) | Total Before (ns) | Total After (ns) | Count Before | Count "
                     "After | Avg Before (ns) | Avg After (ns) | Name\n"
                     "-30 | -100.0 | 30 |  | 1 |  | 30.0 |  | gone\n"
                     "25 | 250.0 | 10 | 35 | 1 | 2 | 10.0 | 17.5 | slower\n"
                     "1 |  |  | 1 |  | 1 |  | 1.0 | new\n"
                     "0 | 0.0 | 10 | 10 | 1 | 1 | 10.0 | 10.0 | same\n"));
        QCOMPARE(columnCells(recipeOf("diff:before=b.sqlite:after=a.sqlite", both).value(), "Delta").at(0),
                 std::string("30"));
        const auto unknown = recipeOf("diff:before=c.sqlite", both);
        QVERIFY(!unknown &&
                unknown.error().message == "diff before=c.sqlite: no match; choose from a.sqlite, b.sqlite");
        const auto either = recipeOf("diff:before=.sqlite", both);
        QVERIFY(!either && either.error().message.find(": ambiguous; choose one of ") != std::string::npos);
        // With one sample or none, no value is invented.
        const Table one = recipeOf("diff", second).value();
        QCOMPARE(one.rowCount(), size_t(0));
        QVERIFY(one.source.rules.back().find("only one report: b.sqlite") != std::string::npos);
        QVERIFY(recipeOf("diff:of=osrt_sum", both)->source.rules.back().find("no rows with a known report") !=
                std::string::npos);
        QVERIFY(!recipeOf("diff:of=inventory", both));
    }
};

LOCKSTEP_TEST(RecipesTest, "recipes_test")
#include "recipes_test.moc"
