// SPDX-License-Identifier: Apache-2.0
// Tests invalid database files: not a database, from another program, locked, truncated, or with a log next
// to them.
#include "core/base/sqlite_database.h"

#include <algorithm>

#include "core/readers/reader.h"
#include "tests/support/sqlite_file.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;
using lockstep::test::runSql;
using lockstep::test::TempDir;
namespace fs = std::filesystem;

namespace {

// An export of `rows` kernels, large enough to be truncated.
fs::path writeKernels(const TempDir& folder, int rows, const std::string& before = {})
{
    const fs::path path = folder.path() / "kernels.sqlite";
    runSql(
        path,
        before +
            "CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);"
            "INSERT INTO StringIds VALUES(1, 'gemm');"
            "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INT, end INT, deviceId INT, contextId INT,"
            " streamId INT, correlationId INT, globalPid INT, demangledName INT, shortName INT);"
            "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < " +
            std::to_string(rows) +
            ") INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT i * 10, i * 10 + 5, 0, 1, 7, i, 16777216, 1, 1 "
            "FROM n;");
    return path;
}

uint64_t kernelRows(const Report& report)
{
    for (const auto& [kind, count] : report.rowCounts) {
        if (kind == "kernel") return count;
    }
    return 0;
}

} // namespace

class SqliteDatabaseTest : public QObject {
    Q_OBJECT

  private slots:
    void textNamedSqlite()
    {
        const TempDir folder;
        const fs::path path = folder.write("notes.sqlite", "just text, named as a database\n");
        QCOMPARE(readReport(path, Progress(test::workers())).error().kind, ErrorKind::unsupported);
        QCOMPARE(SqliteDatabase::open(path).error().kind, ErrorKind::corrupt);
        const fs::path magic =
            folder.write("magic.sqlite", std::string("SQLite format 3\0 and then nothing", 34));
        const auto report = readReport(magic, Progress(test::workers()));
        QVERIFY(!report.has_value());
        QCOMPARE(report.error().kind, ErrorKind::corrupt);
        QVERIFY(report.error().message.find('\n') == std::string::npos);
    }

    void anotherProgramsDatabase()
    {
        const TempDir folder;
        const fs::path path = folder.path() / "other.sqlite";
        QVERIFY(runSql(path, "CREATE TABLE bookmarks(title TEXT);"));
        const auto report = readReport(path, Progress(test::workers()));
        QCOMPARE(report.error().kind, ErrorKind::unsupported);
        QVERIFY(report.error().message.find("not an Nsight Systems export") != std::string::npos);
    }

    void locked()
    {
        const TempDir folder;
        const fs::path path = writeKernels(folder, 10);
        sqlite3* writer = nullptr;
        QCOMPARE(sqlite3_open(path.c_str(), &writer), SQLITE_OK);
        QCOMPARE(sqlite3_exec(writer, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr), SQLITE_OK);
        const auto report = readReport(path, Progress(test::workers()));
        sqlite3_close(writer);
        QVERIFY(!report.has_value());
        QCOMPARE(report.error().kind, ErrorKind::io);
        QVERIFY(report.error().message.find("locked") != std::string::npos);
    }

    void oddFileNames()
    {
        const TempDir folder;
        const fs::path odd = folder.path() / "a?mode=memory#b%41 c.sqlite";
        fs::rename(writeKernels(folder, 10), odd);
        const auto report = readReport(odd, Progress(test::workers()));
        QVERIFY2(report.has_value(), report ? "" : report.error().message.c_str());
        QCOMPARE(kernelRows(**report), uint64_t(10));
        // No file is written next to a report.
        QCOMPARE(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()),
                 std::ptrdiff_t(1));
    }

    void rowsInTheLogAreRead()
    {
        const TempDir folder;
        const fs::path path = writeKernels(folder, 10, "PRAGMA journal_mode=WAL;");
        sqlite3* writer = nullptr;
        QCOMPARE(sqlite3_open(path.c_str(), &writer), SQLITE_OK);
        const char* const sql =
            "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(900, 905, 0, 1, 7, 1, 16777216, 1, 1)";
        QCOMPARE(sqlite3_exec(writer, sql, nullptr, nullptr, nullptr), SQLITE_OK);
        QVERIFY(fs::exists(path.string() + "-wal"));
        const auto report = readReport(path, Progress(test::workers()));
        sqlite3_close(writer);
        QVERIFY(report.has_value());
        QCOMPARE(kernelRows(**report), uint64_t(11));
    }

    // A log that was left behind is read, and nothing is created, changed or removed next to the file.
    void logIsReadWithoutAnIndexFile()
    {
        const TempDir live, folder;
        const fs::path source = writeKernels(live, 10, "PRAGMA journal_mode=WAL;");
        sqlite3* writer = nullptr;
        QCOMPARE(sqlite3_open(source.c_str(), &writer), SQLITE_OK);
        const char* const sql =
            "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(900, 905, 0, 1, 7, 1, 16777216, 1, 1)";
        QCOMPARE(sqlite3_exec(writer, sql, nullptr, nullptr, nullptr), SQLITE_OK);
        const fs::path path = folder.path() / "kernels.sqlite";
        fs::copy_file(source, path);
        fs::copy_file(source.string() + "-wal", path.string() + "-wal");
        sqlite3_close(writer);
        const std::string file = test::contentOf(path), log = test::contentOf(path.string() + "-wal");
        QVERIFY(!log.empty());
        const auto report = readReport(path, Progress(test::workers()));
        QVERIFY2(report.has_value(), report ? "" : report.error().message.c_str());
        QCOMPARE(kernelRows(**report), uint64_t(11));
        QVERIFY(!(*report)->notes.hasDataLoss());
        QCOMPARE(test::filesIn(folder.path()), size_t(2));
        QVERIFY(test::contentOf(path) == file);
        QVERIFY(test::contentOf(path.string() + "-wal") == log);
    }

    // A file in this mode without a log: the same.
    void emptyLogLeavesNothing()
    {
        const TempDir folder;
        const fs::path path = writeKernels(folder, 10, "PRAGMA journal_mode=WAL;");
        folder.write("kernels.sqlite-wal", "");
        QCOMPARE(kernelRows(**readReport(path, Progress(test::workers()))), uint64_t(10));
        QCOMPARE(test::filesIn(folder.path()), size_t(2));
    }

    void changeWhileItIsReadIsSeen()
    {
        const TempDir folder;
        const fs::path path = writeKernels(folder, 10, "PRAGMA journal_mode=WAL;");
        const auto database = SqliteDatabase::open(path);
        QVERIFY(database && !database->hasChanged());
        QVERIFY(runSql(path, "INSERT INTO StringIds VALUES(2, 'late')"));
        QVERIFY(database->hasChanged());
    }

    // A statement in the file would produce the rows of a view: none is run, which is reported.
    void viewsInsteadOfTablesAreNoted()
    {
        const TempDir folder;
        const fs::path path = writeKernels(folder, 10);
        QVERIFY(runSql(path, "ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL RENAME TO kernels;"
                             "CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS SELECT * FROM kernels;"
                             "CREATE VIEW NVTX_EVENTS AS SELECT 1 AS start;"
                             "CREATE VIEW \"of a user\" AS SELECT 1;"
                             "CREATE TABLE META_DATA_EXPORT(name TEXT, value TEXT);"));
        const auto report = readReport(path, Progress(test::workers()));
        QVERIFY2(report.has_value(), report ? "" : report.error().message.c_str());
        const auto& notes = (*report)->notes.all();
        const auto note = std::ranges::find(notes, "table.unreadable", &ImportNote::kind);
        QVERIFY(note != notes.end());
        QCOMPARE(note->count, uint64_t(2));
        QVERIFY(note->severity == NoteSeverity::dataLoss);
        QCOMPARE(note->example, std::string("CUPTI_ACTIVITY_KIND_KERNEL"));
    }

    // Rows before the truncation are shown, and the loss is reported.
    void cutShort()
    {
        const TempDir folder;
        const fs::path path = writeKernels(folder, 20'000);
        const auto whole = fs::file_size(path);
        fs::resize_file(path, whole / 2);
        const auto report = readReport(path, Progress(test::workers()));
        QVERIFY2(report.has_value(), report ? "" : report.error().message.c_str());
        QVERIFY(kernelRows(**report) > 5'000);
        QVERIFY(kernelRows(**report) < 20'000);
        QVERIFY((*report)->notes.hasDataLoss());
        fs::resize_file(path, 4096); // only the schema
        QVERIFY((*readReport(path, Progress(test::workers())))->notes.hasDataLoss());
        fs::resize_file(path, 50);
        QCOMPARE(readReport(path, Progress(test::workers())).error().kind, ErrorKind::corrupt);
    }

    void overwrittenInTheMiddle()
    {
        const TempDir folder;
        const fs::path path = writeKernels(folder, 20'000);
        std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
        file.seekp(static_cast<std::streamoff>(fs::file_size(path) / 2));
        file << std::string(20'000, '\xA5');
        file.close();
        const auto report = readReport(path, Progress(test::workers()));
        QVERIFY2(report.has_value(), report ? "" : report.error().message.c_str());
        QVERIFY((*report)->notes.hasDataLoss());
        QVERIFY(kernelRows(**report) > 5'000);
    }
};

LOCKSTEP_TEST(SqliteDatabaseTest, "sqlite_database_test")
#include "sqlite_database_test.moc"
