// SPDX-License-Identifier: Apache-2.0
// Compares the causes of all GPU gaps in public reports with counts that were computed from the tables of the
// files with Python and SQL, without Lockstep.
#include <map>

#include "core/analysis/analysis.h"
#include "core/readers/reader.h"
#include "tests/support/places.h"
#include "tests/support/table_text.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;
using lockstep::test::sharedData;

namespace {

struct Gaps {
    int64_t count = 0, total_ns = 0;

    friend bool operator==(const Gaps&, const Gaps&) = default;
};
using GapsByCause = std::map<std::string, Gaps>;

struct Expected {
    const char* file;
    GapsByCause gaps;
};

const std::array<Expected, 6>& expectedGaps()
{
    static const std::array<Expected, 6> kAll{{
        {"cloverleaf_2024.5",
         {{"synchronization", {1261, 12'701'674}},
          {"host late to launch", {66, 16'980'147}},
          {"copy", {201, 8'564'423}},
          {"kernel wait", {62, 366'103}}}},
        {"cuda_graph_2025.5", {{"host late to launch", {3, 171'519}}, {"kernel wait", {2, 7'488}}}},
        // More than half of the work has no recorded call.
        {"h100_2gpu_nccl_2026.2",
         {{"", {2274, 5'048'467}},
          {"kernel wait", {2078, 4'606'095}},
          {"host late to launch", {14, 3'350'669}}}},
        {"osrt_2021.2",
         {{"host late to launch", {35, 6'082'169'242}},
          {"copy", {168, 38'103'015}},
          {"kernel wait", {8, 107'296}},
          {"other", {1, 70'207}},
          {"synchronization", {3, 110'527}}}},
        {"power_iteration_2025.3",
         {{"host late to launch", {89, 655'953'017}},
          {"kernel wait", {3643, 2'413'420}},
          {"copy", {45, 182'748}}}},
        {"saxpy_mpi_2022.2",
         {{"copy", {10, 350'429}}, {"host late to launch", {5, 723'650'062}}, {"kernel wait", {4, 54'272}}}},
    }};
    return kAll;
}

Table tableOf(std::string_view what, const char* file)
{
    Workspace workspace;
    workspace.add(
        readReport(sharedData("nsys") / (std::string(file) + ".sqlite"), Progress(test::workers())).value());
    return runAnalysis(what, *makeHeadlessScene(workspace, alignReports(workspace, {})), {},
                       Progress(test::workers()))
        .value();
}

} // namespace

class RealGapCausesTest : public QObject {
    Q_OBJECT

  private slots:
    void causes_data()
    {
        QTest::addColumn<int>("of");
        for (size_t i = 0; i < expectedGaps().size(); ++i)
            QTest::newRow(expectedGaps()[i].file) << static_cast<int>(i);
    }
    void causes()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        QFETCH(int, of);
        const Expected& expected = expectedGaps()[static_cast<size_t>(of)];
        const Table table = tableOf("gpu_gaps:gap=0:rows=-1", expected.file);
        const size_t cause = table.columnNamed("Cause"), duration = table.columnNamed("Duration");
        GapsByCause found;
        for (size_t row = 0; row < table.rowCount(); ++row) {
            Gaps& gaps = found[std::string(table.text(cause, row))];
            ++gaps.count;
            gaps.total_ns += table.number(duration, row);
            QVERIFY(!table.note(row).empty());
        }
        for (const auto& [name, gaps] : expected.gaps)
            QVERIFY2(found[name] == gaps, (name + ": " + std::to_string(found[name].count) + " gaps, " +
                                           std::to_string(found[name].total_ns) + " ns")
                                              .c_str());
        QCOMPARE(found.size(), expected.gaps.size());
    }
};

LOCKSTEP_TEST(RealGapCausesTest, "gap_causes_test")
#include "gap_causes_test.moc"
