// SPDX-License-Identifier: Apache-2.0
// Compares the results of the same questions on Lockstep's tables and on the nsys export itself, both with
// SQLite.
#include "core/analysis/cell_source.h"
#include "core/readers/reader.h"
#include "tests/support/places.h"
#include "tests/support/sql_form_check.h"
#include "tests/support/sqlite_file.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

ScenePtr sceneOf(const std::filesystem::path& file)
{
    Workspace workspace;
    workspace.add(readReport(file, Progress(test::workers())).value());
    return makeHeadlessScene(workspace, alignReports(workspace, {}));
}

std::optional<int64_t> answer(const ScenePtr& scene, const std::string& query)
{
    const auto tables = runQuery(query, scene, {}, Progress());
    if (!tables) qWarning("%s", tables.error().message.c_str());
    return tables && tables->front().hasNumber(0, 0) ? std::optional(tables->front().number(0, 0))
                                                     : std::nullopt;
}

} // namespace

class SqlFilesTest : public QObject {
    Q_OBJECT

  private slots:
    // The query that a panel offers for its table returns that table.
    void equalToTheTable_data() { equalToTheFile_data(); }
    void equalToTheTable()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        QFETCH(QByteArray, name);
        const ScenePtr scene = sceneOf(sharedData("nsys") / (name.toStdString() + ".sqlite"));
        for (const char* const what :
             {"cuda_gpu_kern_sum", "cuda_gpu_kern_sum:base", "cuda_api_sum", "cuda_gpu_mem_time_sum",
              "cuda_gpu_mem_size_sum", "osrt_sum", "nvtx_pushpop_sum"}) {
            const auto made = sumsOfTable(what, scene, {}),
                       answered = sumsOfQuery(*sqlFormOf(what, {}), scene);
            std::string other;
            std::vector<std::string> odd;
            std::ranges::set_symmetric_difference(made, answered, std::back_inserter(odd));
            for (const std::string& row : odd)
                other += "\n" + row;
            QVERIFY2(odd.empty(), (what + other.substr(0, 2000)).c_str());
        }
    }

    void equalToTheFile_data()
    {
        QTest::addColumn<QByteArray>("name");
        for (const char* name : {"cloverleaf_2024.5", "cuda_graph_2025.5", "h100_2gpu_nccl_2026.2",
                                 "h100_matmul_2024.6", "power_iteration_2025.3", "saxpy_mpi_2022.2"})
            QTest::newRow(name) << QByteArray(name);
    }
    void equalToTheFile()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        QFETCH(QByteArray, name);
        const auto file = sharedData("nsys") / (name.toStdString() + ".sqlite");
        const ScenePtr scene = sceneOf(file);
        const std::string kernels =
            " FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s ON s.id = k.demangledName";
        // Lockstep's result, then nsys's.
        const std::vector<std::pair<std::string, std::string>> questions{
            {"SELECT count(*) FROM kernel", "SELECT count(*)" + kernels},
            {"SELECT sum(duration_ns) FROM kernel", "SELECT sum(end - start)" + kernels},
            {"SELECT count(DISTINCT name) FROM kernel", "SELECT count(DISTINCT s.value)" + kernels},
            {"SELECT sum(n * n) FROM (SELECT count(*) AS n FROM kernel GROUP BY name)",
             "SELECT sum(n * n) FROM (SELECT count(*) AS n" + kernels + " GROUP BY s.value)"},
            {"SELECT sum(bytes) FROM memcpy WHERE kind = 'memcpy'",
             "SELECT sum(bytes) FROM CUPTI_ACTIVITY_KIND_MEMCPY"},
            {"SELECT count(*) FROM api",
             "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE eventClass < 2"},
            // Each kernel's call, by correlation.
            {"SELECT sum(k.start_ns - a.start_ns) FROM link l JOIN kernel k ON k.id = l.effect JOIN api a ON a.id = "
             "l.cause WHERE l.kind = 'launch'",
             "SELECT sum(k.start - r.start) FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN CUPTI_ACTIVITY_KIND_RUNTIME r ON "
             "r.correlationId = k.correlationId AND r.eventClass < 2 AND r.globalTid / 0x1000000 = k.globalPid / 0x1000000"},
            // A window in the middle: rows that overlap it.
            {"SELECT count(*) FROM kernel, (SELECT min(start_ns) AS a, max(end_ns) AS b FROM kernel) w WHERE start_ns < a "
             "+ (b - a) / 2 AND end_ns > a + (b - a) / 4",
             "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL k, (SELECT min(start) AS a, max(end) AS b FROM "
             "CUPTI_ACTIVITY_KIND_KERNEL) w WHERE start < a + (b - a) / 2 AND end > a + (b - a) / 4"},
        };
        for (const auto& [ours, theirs] : questions) {
            const auto expected = askSql(file, theirs);
            if (!expected) continue; // the file has no such table
            QVERIFY2(answer(scene, ours).value_or(0) == *expected,
                     (ours + ": " + std::to_string(answer(scene, ours).value_or(0)) + ", the file says " +
                      std::to_string(*expected))
                         .c_str());
        }
    }
};

LOCKSTEP_TEST(SqlFilesTest, "sql_files_test")
#include "sql_files_test.moc"
