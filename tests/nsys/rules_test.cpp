// SPDX-License-Identifier: Apache-2.0
// Compares our rules with those of the vendor's `nsys analyze` 2022.4 on the same files, to the printed digit
// and in the same order. Intended differences: a call that was recorded a second time with its backtrace is
// listed once; graphs recorded as a whole count as work unless the arguments say otherwise; the row limit
// keeps the worst rows, where theirs keeps the earliest (rows=3 of saxpy_mpi leaves out the longest gap); and
// gpu_gaps has an additional last column with the cause of each gap.
#include <QDebug>

#include "core/analysis/analysis.h"
#include "core/readers/reader.h"
#include "tests/support/csv_rows.h"
#include "tests/support/places.h"
#include "tests/support/real_nsys.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;
using namespace lockstep::test;
namespace fs = std::filesystem;

namespace {

struct RulePair {
    const char* theirs; // the rule's name in 2022.4
    const char* ours;
    const char* arguments; // for both programs
    const char* ourOwn = "";
};

constexpr std::array kRulePairs{
    RulePair{"gpu-starv", "gpu_gaps", ":rows=-1:gap=0", ":nographs"},
    RulePair{"gpu-starv", "gpu_gaps", ":gap=1", ":nographs"},
    RulePair{"gpu-starv", "gpu_gaps", ":gap=0:rows=-1:start=541000000:end=1300000000", ":nographs"},
    RulePair{"gpu-low-util", "gpu_time_util", "", ":nographs"},
    RulePair{"gpu-low-util", "gpu_time_util", ":rows=-1:chunks=1000:threshold=90", ":nographs"},
    RulePair{"gpu-low-util", "gpu_time_util", ":chunks=7:start=950000000:end=1700000000", ":nographs"},
    RulePair{"cuda-sync-api", "cuda_api_sync", ":rows=-1"},
    RulePair{"cuda-sync-api", "cuda_api_sync", ":start=541000000:end=783600000:rows=-1"},
    RulePair{"cuda-async-memcpy", "cuda_memcpy_async", ":rows=-1"},
    RulePair{"cuda-sync-memcpy", "cuda_memcpy_sync", ":rows=-1"},
    RulePair{"cuda-sync-memset", "cuda_memset_sync", ":rows=-1"},
};

std::vector<Row> theirRule(const fs::path& scratch, const RulePair& pair)
{
    const QString rule = QString(pair.theirs) + pair.arguments;
    const NsysRun run =
        runNsys(scratch, {"analyze", "-q", "-r", rule, "--format", "csv", "-o", "-", "asked.sqlite"});
    std::vector<Row> rows = csvRows(run.output.toStdString());
    // The text around the table has no commas.
    std::erase_if(rows, [](const Row& row) { return row.size() < 5; });
    return rows;
}

std::vector<Row> ourRule(const Workspace& workspace, const RulePair& pair)
{
    const std::string what = std::string(pair.ours) + pair.arguments + pair.ourOwn;
    const auto table = runAnalysis(what, *makeHeadlessScene(workspace, alignReports(workspace, {})), {},
                                   Progress(test::workers()));
    if (!table) return {{table.error().message}};
    std::vector<Row> rows = csvRows(csvText(*table));
    if (rows.size() <= 1) rows.clear();
    if (std::string_view(pair.ours) == "gpu_gaps")
        for (Row& row : rows)
            row.pop_back(); // Cause
    return rows;
}

// "cudaMemcpy" and "cudaMemcpy_v3020" count as equal.
void dropBacktraces(std::vector<Row>& rows)
{
    const bool areVersioned =
        std::ranges::any_of(rows, [](const Row& row) { return row.back().find("_v") != std::string::npos; });
    if (!areVersioned) return;
    std::erase_if(rows, [&](const Row& row) {
        return row.back().starts_with("cuda") && row.back().find("_v") == std::string::npos;
    });
}

} // namespace

class NsysRulesTest : public QObject {
    Q_OBJECT

  private slots:
    void publicFiles_data()
    {
        QTest::addColumn<QString>("file");
        for (const char* const file :
             {"cloverleaf_2024.5", "cuda_graph_2025.5", "h100_2gpu_nccl_2026.2", "h100_matmul_2024.6",
              "osrt_2021.2", "power_iteration_2025.3", "saxpy_mpi_2022.2"})
            QTest::newRow(file) << file;
    }
    void publicFiles()
    {
        LOCKSTEP_NEED_NSYS();
        LOCKSTEP_NEED_SHARED_DATA();
        QFETCH(QString, file);
        const TempDir scratch;
        const fs::path path = scratch.path() / "asked.sqlite"; // nsys writes into the folder of its input
        fs::copy_file(sharedData("nsys") / (file.toStdString() + ".sqlite"), path);
        fs::permissions(path, fs::perms::owner_all);
        Workspace workspace;
        workspace.add(readReport(path, Progress(test::workers())).value());
        size_t withRows = 0;
        for (const RulePair& pair : kRulePairs) {
            std::vector<Row> theirs = theirRule(scratch.path(), pair);
            const std::vector<Row> ours = ourRule(workspace, pair);
            if (std::string_view(pair.theirs).find("memcpy") != std::string_view::npos)
                dropBacktraces(theirs);
            if (theirs.size() > 1) ++withRows;
            const std::string unequal = firstDifference(theirs, ours);
            QVERIFY2(unequal.empty(), (std::string(pair.ours) + pair.arguments + "\n" + unequal).c_str());
            QVERIFY2(theirs == ours, (std::string(pair.ours) + pair.arguments + ": another order").c_str());
        }
        QVERIFY2(withRows >= 2, std::to_string(withRows).c_str());
    }
};

LOCKSTEP_TEST(NsysRulesTest, "rules_test")
#include "rules_test.moc"
