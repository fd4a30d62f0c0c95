// SPDX-License-Identifier: Apache-2.0
// Tests the search for reports in files and folders.
#include "core/readers/report_search.h"

#include <unistd.h>

#include "core/readers/reader.h"
#include "tests/support/gzip_text.h"
#include "tests/support/sqlite_file.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using namespace lockstep;

namespace {

constexpr const char* kSmallTrace =
    "{\"traceEvents\": [{\"ph\": \"X\", \"ts\": 1, \"dur\": 2, \"name\": \"a\"}]}";

std::vector<std::string> namesOf(const std::vector<std::filesystem::path>& paths)
{
    std::vector<std::string> names;
    for (const auto& path : paths)
        names.push_back(path.filename().string());
    return names;
}

constexpr const char* kStream = "U3w[END]NVIDIA Nsight Systems Stream 2022.4.2.1-df9881f!\n";

// Smaller and larger than the first page.
void makeEmptyExport(const std::filesystem::path& path)
{
    const bool isMade = test::runSql(path, R"(
        CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);
        CREATE TABLE META_DATA_EXPORT(name TEXT, value TEXT);
        INSERT INTO META_DATA_EXPORT VALUES('EXPORT_PRODUCT_VERSION', '2025.3.1.90');
        INSERT INTO StringIds VALUES(1, hex(zeroblob(9000)));)");
    if (!isMade) qFatal("no database");
}

} // namespace

class ReportSearchTest : public QObject {
    Q_OBJECT

  private slots:
    void foldersAreClassifiedByContent()
    {
        const test::TempDir folder;
        folder.write("b/trace.txt", std::string(kSmallTrace) + "\n");
        folder.write("a.json", kSmallTrace);
        folder.write("notes.json", "no trace at all");
        folder.write("empty", "");
        const FoundReports found = *findReports({folder.path()}, Progress());
        QCOMPARE(namesOf(found.reports), (std::vector<std::string>{"a.json", "trace.txt"}));
        QCOMPARE(found.skippedFiles.size(), size_t(2));
    }

    void filesAreUsedAsGivenAndOnce()
    {
        const test::TempDir folder;
        const auto trace = folder.write("a.json", kSmallTrace);
        const FoundReports found =
            *findReports({"absent", trace, folder.path(), folder.path() / "." / "a.json"}, Progress());
        QCOMPARE(namesOf(found.reports), (std::vector<std::string>{"absent", "a.json"}));
        QCOMPARE(found.skippedFiles.size(), size_t(2));
        QCOMPARE(found.skippedFiles[0].reason, std::string("listed more than once"));
    }

    void exportReplacesItsReport()
    {
        const test::TempDir folder;
        folder.write("run.nsys-rep", "NVIDIA Tegra Profiler Report 1.xxU3w[END]");
        folder.write("run.qdstrm", kStream);
        makeEmptyExport(folder.path() / "run.sqlite");
        const FoundReports found = *findReports({folder.path()}, Progress());
        QCOMPARE(namesOf(found.reports), (std::vector<std::string>{"run.sqlite"}));
        QCOMPARE(found.skippedFiles.size(), size_t(2));
        QCOMPARE(found.skippedFiles[0].reason, std::string("its SQLite export is in the same folder"));
        QCOMPARE(found.skippedFiles[1].reason,
                 std::string("the report converted from it is in the same folder"));
    }

    void truncatedExportHidesNoReport()
    {
        const test::TempDir folder;
        folder.write("run.nsys-rep", "NVIDIA Tegra Profiler Report 2099@9@9@1-1v0.xxU3w[END]");
        const auto exported = folder.path() / "run.sqlite";
        makeEmptyExport(exported);
        std::filesystem::resize_file(exported, std::filesystem::file_size(exported) / 2);
        // No nsys is new enough for that report, so both are opened and each reports its problem.
        const FoundReports found = *findReports({folder.path()}, Progress());
        QCOMPARE(namesOf(found.reports), (std::vector<std::string>{"run.nsys-rep", "run.sqlite"}));
    }

    void streamNextToItsReport()
    {
        const test::TempDir folder;
        folder.write("run.qdstrm", kStream);
        folder.write("run.nsys-rep", "NVIDIA Tegra Profiler Report 1.xxU3w[END]");
        folder.write("alone.qdstrm", kStream);
        const FoundReports found = *findReports({folder.path()}, Progress());
        QCOMPARE(namesOf(found.reports), (std::vector<std::string>{"alone.qdstrm", "run.nsys-rep"}));
    }

    void foreignDatabasesAreSkipped()
    {
        const test::TempDir folder;
        folder.write("a.json", kSmallTrace);
        QVERIFY(test::runSql(folder.path() / "wandb.db", "CREATE TABLE runs(id INTEGER)"));
        QVERIFY(test::runSql(folder.path() / "late.sqlite",
                             "CREATE TABLE StringIds(id INTEGER); CREATE TABLE notes(id INTEGER)"));
        const FoundReports found = *findReports({folder.path()}, Progress());
        QCOMPARE(namesOf(found.reports), (std::vector<std::string>{"a.json"}));
        QCOMPARE(found.skippedFiles.size(), size_t(2));
    }

    // A copy, a hard link and the compressed form of one file are one report; a name with another rank makes
    // another report.
    void equalContentIsOneReport()
    {
        const test::TempDir folder;
        const auto first = folder.write("a.json", kSmallTrace);
        folder.write("b/copy.json", kSmallTrace);
        folder.write("packed.json.gz", test::gzipped(kSmallTrace));
        folder.write("rank3.json", kSmallTrace);
        std::filesystem::create_hard_link(first, folder.path() / "link.json");
        folder.write("longer.json", std::string(kSmallTrace) + " ");
        const FoundReports found = *findReports({folder.path()}, Progress());
        QCOMPARE(namesOf(found.reports), (std::vector<std::string>{"a.json", "longer.json", "rank3.json"}));
        QCOMPARE(found.skippedFiles.size(), size_t(3));
        for (const SkippedFile& copy : found.skippedFiles)
            QCOMPARE(copy.reason, "same report as " + first.string());
    }

    // An unreadable file is not skipped silently: it is opened like the others, which fails with its path.
    void unreadableFilesAreErrors()
    {
        constexpr uid_t kNobody = 65534;
        const test::TempDir folder;
        folder.write("a.json", kSmallTrace);
        const auto secret = folder.write("secret.json", std::string(kSmallTrace) + " ");
        folder.write("locked/b.json", std::string(kSmallTrace) + "  ");
        const auto locked = folder.path() / "locked";
        namespace fs = std::filesystem;
        fs::permissions(folder.path(), fs::perms::all);
        fs::permissions(secret, fs::perms::none);
        fs::permissions(locked, fs::perms::none);
        const bool isRoot = ::geteuid() == 0; // a user who may read everything
        if (isRoot) QCOMPARE(::seteuid(kNobody), 0);
        const FoundReports found = *findReports({folder.path()}, Progress());
        const auto file = sniffFile(secret), list = sniffFile(locked);
        if (isRoot) QCOMPARE(::seteuid(0), 0);
        fs::permissions(locked, fs::perms::all);
        QCOMPARE(namesOf(found.reports), (std::vector<std::string>{"locked", "a.json", "secret.json"}));
        QVERIFY(!file && file.error().message.ends_with("secret.json: cannot open: Permission denied"));
        QVERIFY(!list && list.error().message.ends_with("locked: cannot list the folder: Permission denied"));
    }

    void leftoversAreSkipped()
    {
        const test::TempDir folder;
        for (const char* const name : {".hidden.json", "a.json~", "a.json.tmp", "a.json:Zone.Identifier"})
            folder.write(name, std::string(kSmallTrace) + name);
        const FoundReports found = *findReports({folder.path()}, Progress());
        QVERIFY(found.reports.empty());
        QCOMPARE(found.skippedFiles.size(), size_t(4));
        QCOMPARE(found.skippedFiles[0].reason, std::string("a hidden file"));
    }
};

LOCKSTEP_TEST(ReportSearchTest, "report_search_test")
#include "report_search_test.moc"
