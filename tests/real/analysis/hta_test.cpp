// SPDX-License-Identifier: Apache-2.0
// Compares training analyses with the results of HTA 0.6.1 on the same traces: with `hta` to the printed
// digit, without it to HTA's results without rounding, as far as its doubles are exact.
#include <algorithm>
#include <array>
#include <cmath>

#include "core/analysis/analysis.h"
#include "core/readers/reader.h"
#include "tests/support/csv_rows.h"
#include "tests/support/places.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;
using namespace lockstep::test;
namespace fs = std::filesystem;

namespace {

Table tableOf(std::string_view what, const fs::path& file)
{
    Workspace workspace;
    workspace.add(readReport(file, Progress(test::workers())).value());
    return runAnalysis(what, *makeHeadlessScene(workspace, alignReports(workspace, {})), {},
                       Progress(test::workers()))
        .value();
}

std::vector<Row> expectedRows(const std::string& file)
{
    const fs::path path = sharedData("golden") / file;
    return fs::exists(path) ? csvRows(textOfFile(path)) : std::vector<Row>();
}

// Returns the microseconds of a cell that is in ns.
double us(const Table& table, std::string_view column, size_t row)
{
    return table.value(table.columnNamed(column), row) / 1000;
}

double number(const std::string& text)
{
    return text.empty() ? 0 : std::stod(text);
}

// Tolerance for numbers of the golden files: their 10 digits.
bool isNear(double a, double b, double most)
{
    return std::abs(a - b) <= most + std::abs(b) * 1e-9;
}

constexpr const char* kNccl = "kineto/nccl_metadata.json.gz";
constexpr const char* kNs = "kineto/ns_resolution.rank-0.pt.trace.json.gz";

} // namespace

class HtaTest : public QObject {
    Q_OBJECT

  private slots:
    void breakdowns_data()
    {
        QTest::addColumn<QString>("trace");
        QTest::addColumn<QString>("golden");
        QTest::addColumn<QString>("argument");
        QTest::addColumn<double>("most_us"); // that totals may differ by
        QTest::newRow("NCCL, as HTA") << kNccl << "hta/nccl_data"
                                      << ":hta" << 0.0;
        QTest::newRow("ns, as HTA") << kNs << "hta/ns_res_rank0"
                                    << ":hta" << 0.0;
        // 2,516 rows of timestamps that a double represents to 1 ns.
        QTest::newRow("NCCL, exact") << kNccl << "hta_ns/nccl_data"
                                     << "" << 0.1;
    }
    void breakdowns()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        QFETCH(QString, trace);
        QFETCH(QString, golden);
        QFETCH(QString, argument);
        QFETCH(double, most_us);
        const fs::path file = sharedData(trace.toStdString());
        const std::string stem = golden.toStdString(), how = argument.toStdString();

        const auto times = expectedRows(stem + ".temporal_breakdown.csv");
        const Table temporal = tableOf("temporal_breakdown" + how, file);
        QCOMPARE(temporal.rowCount(), times.size() - 1);
        const char* const kTimes[] = {"idle_time", "compute_time", "non_compute_time", "kernel_time"};
        for (size_t i = 0; i < 4; ++i)
            QVERIFY2(isNear(us(temporal, kTimes[i], 0), number(times[1][i + 1]), most_us), kTimes[i]);
        for (const char* const part : {"idle_time_pctg", "compute_time_pctg", "non_compute_time_pctg"}) {
            const auto at = static_cast<size_t>(std::ranges::find(times[0], part) - times[0].begin());
            QCOMPARE(temporal.value(temporal.columnNamed(part), 0), number(times[1][at]));
        }

        const auto overlaps = expectedRows(stem + ".comm_comp_overlap.csv");
        const Table overlap = tableOf("comm_comp_overlap" + how, file);
        const size_t share = overlap.columnNamed("comp_comm_overlap_pctg");
        QCOMPARE(overlap.hasNumber(share, 0), !overlaps[1][1].empty());
        if (overlap.hasNumber(share, 0)) QCOMPARE(overlap.value(share, 0), number(overlaps[1][1]));

        const auto states = expectedRows(stem + ".gpu_kernel_breakdown.0.csv");
        const Table classes = tableOf("kernel_breakdown" + how, file);
        QCOMPARE(classes.rowCount(), states.size() - 1);
        for (size_t i = 0; i < classes.rowCount(); ++i) {
            QCOMPARE(classes.cell(0, i), states[i + 1][0]);
            // HTA truncates each stretch of a state to whole microseconds, with and without its rounding.
            if (most_us > 0) continue;
            QCOMPARE(us(classes, "sum", i), number(states[i + 1][1]));
            QCOMPARE(classes.value(2, i), number(states[i + 1][2]));
        }
    }

    void waits()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        for (const auto& [trace, stem] :
             {std::pair(kNccl, "hta/nccl_data"), std::pair(kNs, "hta/ns_res_rank0")}) {
            const auto expected = expectedRows(std::string(stem) + ".idle_time_breakdown.0.csv");
            const Table idle = tableOf("idle_breakdown:hta", sharedData(trace));
            // HTA omits the categories of a stream that have no row.
            size_t found = 0;
            for (size_t row = 0; row < idle.rowCount(); ++row) {
                const auto same = std::ranges::find_if(expected, [&](const Row& r) {
                    return r[1] == idle.cell(idle.columnNamed("stream"), row) &&
                           r[2] == idle.cell(idle.columnNamed("idle_category"), row);
                });
                if (same == expected.end()) {
                    QCOMPARE(us(idle, "idle_time", row), 0.0);
                    continue;
                }
                ++found;
                QCOMPARE(us(idle, "idle_time", row), number((*same)[3]));
                QCOMPARE(idle.value(idle.columnNamed("idle_time_ratio"), row), number((*same)[4]));
            }
            QCOMPARE(found, expected.size() - 1);
        }
    }

    void kernelsByName()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        for (const auto& [trace, stem] :
             {std::pair(kNccl, "hta/nccl_data"), std::pair(kNs, "hta/ns_res_rank0")}) {
            const auto expected = expectedRows(std::string(stem) + ".gpu_kernel_breakdown.1.csv");
            const Table names = tableOf("kernel_breakdown:names:hta", sharedData(trace));
            QCOMPARE(names.rowCount(), expected.size() - 1);
            for (size_t i = 1; i < expected.size(); ++i) {
                const Row& row = expected[i];
                size_t at = 0;
                while (at < names.rowCount() && (names.cell(names.columnNamed("name"), at) != row[0] ||
                                                 names.cell(names.columnNamed("kernel_type"), at) != row[6]))
                    ++at;
                QVERIFY2(at < names.rowCount(), row[0].c_str());
                const char* const kColumns[] = {"sum", "max", "min", "stddev", "mean"};
                for (size_t column = 0; column < 5; ++column)
                    QVERIFY2(isNear(us(names, kColumns[column], at), number(row[column + 1]), 1e-6),
                             (row[0] + " " + kColumns[column]).c_str());
            }
        }
    }

    // If a launch and a begin are in the same microsecond, HTA uses the order that numpy's sort gives; in ns
    // none coincide.
    void queues()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        const auto expected = expectedRows("hta_ns/nccl_data.queue_length_summary.csv");
        const Table queues = tableOf("queue_length", sharedData(kNccl));
        QCOMPARE(queues.rowCount(), size_t(2));
        const char* const kColumns[] = {"count", "mean", "std", "min", "25%", "50%", "75%", "max"};
        for (size_t row = 0; row < 2; ++row) {
            for (size_t i = 0; i < 8; ++i)
                QVERIFY2(isNear(queues.value(queues.columnNamed(kColumns[i]), row),
                                number(expected[row + 2][i]), 1e-6),
                         kColumns[i]);
        }
        const Table ns = tableOf("queue_length:full=1000", sharedData(kNs));
        QCOMPARE(ns.value(ns.columnNamed("count"), 0), 9752.0);
        QCOMPARE(ns.value(ns.columnNamed("max"), 0), 1022.0);
        QVERIFY(ns.value(ns.columnNamed("blocked_pctg"), 0) > 30);
        QCOMPARE(tableOf("queue_length", sharedData(kNs)).cell(ns.columnNamed("blocked_time"), 0),
                 std::string("0"));
    }

    void launches()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        for (const auto& [trace, stem] :
             {std::pair(kNccl, "hta/nccl_data"), std::pair(kNs, "hta/ns_res_rank0")}) {
            std::vector<std::array<double, 3>> theirs, ours;
            for (const Row& row : expectedRows(std::string(stem) + ".cuda_kernel_launch_stats.0.csv")) {
                if (row[0] != "correlation")
                    theirs.push_back({number(row[1]), number(row[2]), number(row[3])});
            }
            const Table launches = tableOf("launch_stats:trace:hta", sharedData(trace));
            for (size_t row = 0; row < launches.rowCount(); ++row)
                ours.push_back({us(launches, "cpu_duration", row), us(launches, "gpu_duration", row),
                                us(launches, "launch_delay", row)});
            std::ranges::sort(theirs);
            std::ranges::sort(ours);
            QCOMPARE(ours.size(), theirs.size());
            QVERIFY(ours == theirs);
            const Table sums = tableOf("launch_stats:hta", sharedData(trace));
            double count = 0;
            for (size_t row = 0; row < sums.rowCount(); ++row)
                count += sums.value(sums.columnNamed("count"), row);
            QCOMPARE(count, double(theirs.size()));
        }
    }

    void bandwidths()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        for (const auto& [trace, stem] :
             {std::pair(kNccl, "hta_ns/nccl_data"), std::pair(kNs, "hta_ns/ns_res_rank0")}) {
            const auto expected = expectedRows(std::string(stem) + ".memory_bw_summary.csv");
            const Table rates = tableOf("memory_bandwidth", sharedData(trace));
            QCOMPARE(rates.rowCount(), size_t(2));
            const char* const kColumns[] = {"count", "mean", "std", "min", "25%", "50%", "75%", "max"};
            for (size_t row = 0; row < 2; ++row) {
                for (size_t i = 0; i < 8; ++i)
                    QVERIFY2(isNear(rates.value(rates.columnNamed(kColumns[i]), row),
                                    number(expected[row + 2][i]), 0.001),
                             kColumns[i]);
            }
        }
    }

    // Numbers from HTA's own unit tests and from a second implementation.
    void otherTraces()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        struct Expected {
            const char* trace;
            int kernel_us, idle_us, compute_us;
        };
        for (const Expected& of :
             {Expected{"kineto/rocm_mi250.json.gz", 8911, 8780, 96},
              Expected{"kineto/sampled_2ranks/sampled_rank-0.json.gz", 600058, 321378, 106252},
              Expected{"kineto/sampled_2ranks/sampled_rank-1.json.gz", 600674, 328671, 135548}}) {
            const Table table = tableOf("temporal_breakdown:hta", sharedData(of.trace));
            QCOMPARE(table.rowCount(), size_t(1));
            QCOMPARE(us(table, "kernel_time", 0), double(of.kernel_us));
            QCOMPARE(us(table, "idle_time", 0), double(of.idle_us));
            QCOMPARE(us(table, "compute_time", 0), double(of.compute_us));
        }
    }

    // The same quantity is equal in all tables that contain it.
    void tablesAgree()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        for (const char* const how : {"", ":hta", ":allsteps"}) {
            const auto of = [&](const char* what) {
                return tableOf(what + std::string(how), sharedData(kNccl));
            };
            const Table temporal = of("temporal_breakdown"), overlap = of("comm_comp_overlap"),
                        classes = of("kernel_breakdown");
            double busy = 0, computing = 0;
            for (size_t row = 0; row < classes.rowCount(); ++row) {
                busy += us(classes, "sum", row);
                if (classes.cell(0, row).starts_with("COMPUTATION")) computing += us(classes, "sum", row);
            }
            QVERIFY(isNear(computing, us(temporal, "compute_time", 0), 0.5));
            QVERIFY(isNear(busy, us(temporal, "compute_time", 0) + us(temporal, "non_compute_time", 0), 0.5));
            QVERIFY(us(overlap, "exposed_time", 0) <= us(temporal, "non_compute_time", 0) + 0.5);
        }
    }
};

LOCKSTEP_TEST(HtaTest, "hta_test")
#include "hta_test.moc"
