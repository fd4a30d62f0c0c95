// SPDX-License-Identifier: Apache-2.0
// Compares trace tables of the public nsys exports with plain SQL on the same file: every row and number.
#include <filesystem>

#include "core/analysis/analysis.h"
#include "core/readers/reader.h"
#include "tests/support/csv_rows.h"
#include "tests/support/places.h"
#include "tests/support/sqlite_file.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;
using namespace lockstep::test;
namespace fs = std::filesystem;

namespace {

// Returns the rows of a statement as text, NULL as "".
std::vector<Row> rowsOfSql(const fs::path& path, const std::string& sql)
{
    sqlite3* database = nullptr;
    sqlite3_stmt* statement = nullptr;
    std::vector<Row> rows;
    const std::string uri = "file:" + path.string() + "?immutable=1";
    if (sqlite3_open_v2(uri.c_str(), &database, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr) !=
            SQLITE_OK ||
        sqlite3_prepare_v2(database, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK)
        qFatal("%s", sqlite3_errmsg(database));
    while (sqlite3_step(statement) == SQLITE_ROW) {
        Row& row = rows.emplace_back();
        for (int column = 0; column < sqlite3_column_count(statement); ++column) {
            const auto* const text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
            row.emplace_back(text != nullptr ? text : "");
        }
    }
    sqlite3_finalize(statement);
    sqlite3_close(database);
    return rows;
}

bool hasTable(const fs::path& path, const std::string& table)
{
    return askSql(path, "SELECT count(*) FROM sqlite_master WHERE name = '" + table + "'") == 1;
}

// Returns the columns of a table by header, in this order, without a header row.
std::vector<Row> columnsOf(const Table& table, const std::vector<std::string>& headers)
{
    std::vector<Row> rows(table.rowCount());
    for (const std::string& header : headers) {
        const size_t column = table.columnNamed(header);
        for (size_t row = 0; row < table.rowCount(); ++row)
            rows[row].push_back(table.cell(column, row));
    }
    return rows;
}

Workspace openedOne(const fs::path& path)
{
    Workspace workspace;
    workspace.add(readReport(path, Progress(test::workers())).value());
    return workspace;
}

Table tracedTable(std::string_view what, const Workspace& workspace)
{
    return runAnalysis(what, *makeHeadlessScene(workspace, alignReports(workspace, {})), {},
                       Progress(test::workers()))
        .value();
}

// 10^-3 MB, and 10^-3 MB/s, rounded half away from zero.
const std::string kMillions = "printf('%d.%03d', (X + 500) / 1000000, (X + 500) / 1000 % 1000)";
std::string inMillions(const std::string& column)
{
    std::string text = kMillions;
    for (size_t at = 0; (at = text.find('X', at)) != text.npos; at += column.size())
        text.replace(at, 1, column);
    return text;
}

} // namespace

class TraceSqlTest : public QObject {
    Q_OBJECT

  private slots:
    void exports_data()
    {
        QTest::addColumn<QString>("file");
        if (!hasSharedData()) {
            QTest::newRow("none") << QString();
            return;
        }
        for (const auto& entry : fs::directory_iterator(sharedData("nsys"))) {
            if (entry.path().extension() == ".sqlite")
                QTest::newRow(entry.path().stem().c_str()) << QString::fromStdString(entry.path().string());
        }
    }
    void exports()
    {
        LOCKSTEP_NEED_SHARED_DATA();
        QFETCH(QString, file);
        const fs::path path = file.toStdString();
        const Workspace workspace = openedOne(path);
        kernels(path, workspace);
        copies(path, workspace);
        calls(path, workspace);
        launches(path, workspace);
    }

  private:
    static void same(std::vector<Row> ours, std::vector<Row> sql)
    {
        const std::string difference = firstDifference(std::move(sql), std::move(ours));
        QVERIFY2(difference.empty(), difference.c_str());
    }

    static void kernels(const fs::path& path, const Workspace& workspace)
    {
        if (!hasTable(path, "CUPTI_ACTIVITY_KIND_KERNEL")) return;
        const Table table = tracedTable("cuda_gpu_trace", workspace);
        std::vector<Row> ours =
            columnsOf(table, {"GrdX", "Start", "Duration", "CorrId", "GrdY", "GrdZ", "BlkX", "BlkY", "BlkZ",
                              "Reg/Trd", "StcSMem", "DymSMem", "Ctx", "Strm"});
        std::erase_if(ours, [](const Row& row) { return row[0].empty(); });
        same(ours,
             rowsOfSql(path, "SELECT gridX, start, end - start, correlationId, gridY, gridZ, blockX, blockY, "
                             "blockZ, registersPerThread, " +
                                 inMillions("staticSharedMemory") + ", " + inMillions("dynamicSharedMemory") +
                                 ", contextId, streamId FROM CUPTI_ACTIVITY_KIND_KERNEL"));
        // In the order of their starts.
        const size_t start = table.columnNamed("Start");
        for (size_t row = 1; row < table.rowCount(); ++row)
            QVERIFY(table.number(start, row - 1) <= table.number(start, row));
    }

    static void copies(const fs::path& path, const Workspace& workspace)
    {
        std::vector<Row> ours =
            columnsOf(tracedTable("cuda_gpu_trace", workspace),
                      {"Bytes", "Start", "Duration", "CorrId", "Throughput", "Ctx", "Strm"});
        std::erase_if(ours, [](const Row& row) { return row[0].empty(); });
        std::vector<Row> sql;
        for (const char* const table : {"CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET"}) {
            if (!hasTable(path, table)) continue;
            // Thousandths of MB/s in whole numbers: bytes * 10^6 / duration, rounded.
            const std::string rate = "((bytes * 1000000 + (end - start) / 2) / (end - start))";
            const auto rows = rowsOfSql(
                path, "SELECT " + inMillions("bytes") +
                          ", start, end - start, correlationId, CASE WHEN end > start THEN "
                          "printf('%d.%03d', " +
                          rate + " / 1000, " + rate + " % 1000) END, contextId, streamId FROM " + table);
            sql.insert(sql.end(), rows.begin(), rows.end());
        }
        same(ours, sql);
    }

    static void calls(const fs::path& path, const Workspace& workspace)
    {
        if (!hasTable(path, "CUPTI_ACTIVITY_KIND_RUNTIME")) return;
        same(columnsOf(tracedTable("cuda_api_trace", workspace),
                       {"Start", "Duration", "Result", "CorrID", "Pid", "Tid"}),
             rowsOfSql(path,
                       "SELECT start, end - start, returnValue, correlationId, (globalTid >> 24) & 16777215, "
                       "globalTid & 16777215 FROM CUPTI_ACTIVITY_KIND_RUNTIME"));
    }

    // If a call is recorded twice, once with a backtrace, the plain one is used.
    static void launches(const fs::path& path, const Workspace& workspace)
    {
        if (!hasTable(path, "CUPTI_ACTIVITY_KIND_KERNEL")) return;
        same(
            columnsOf(tracedTable("cuda_kern_exec_trace", workspace),
                      {"API Start", "Queue Start", "Queue Dur", "Kernel Start", "Kernel Dur", "Total Dur",
                       "PID", "TID", "DevId", "GridXYZ", "BlockXYZ"}),
            rowsOfSql(
                path,
                "SELECT r.start, CASE WHEN k.start >= r.end THEN r.end END, CASE WHEN k.start >= r.end THEN "
                "k.start - r.end END, k.start, k.end - k.start, max(r.end, k.end) - r.start, (r.globalTid >> "
                "24) & 16777215, r.globalTid & 16777215, k.deviceId, printf('%4d %4d %4d', k.gridX, k.gridY, "
                "k.gridZ), printf('%4d %4d %4d', k.blockX, k.blockY, k.blockZ) FROM "
                "CUPTI_ACTIVITY_KIND_KERNEL k JOIN CUPTI_ACTIVITY_KIND_RUNTIME r ON r.correlationId = "
                "k.correlationId AND r.globalTid & -16777216 = k.globalPid WHERE r.eventClass != 67"));
    }
};

LOCKSTEP_TEST(TraceSqlTest, "trace_sql_test")
#include "trace_sql_test.moc"
