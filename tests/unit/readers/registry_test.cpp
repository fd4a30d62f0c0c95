// SPDX-License-Identifier: Apache-2.0
// Tests the entries of formats in the registry: the name of the tool, its extensions, its file sizes.
#include <set>

#include "core/readers/report_search.h"
#include "core/readers/workspace_file/workspace_file.h"
#include "core/trace/report_columns.h"
#include "tests/support/sqlite_file.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;

namespace {

constexpr const char* kTrace = "{\"traceEvents\": [{\"ph\": \"X\", \"ts\": 1, \"dur\": 2, \"name\": \"a\"}]}";
constexpr const char* kKinetoTrace =
    "{\"deviceProperties\": [], \"traceEvents\": [{\"ph\": \"X\", \"ts\": 1, \"dur\": 2, \"name\": \"a\"}]}";

std::string_view nameOf(const Reader* reader)
{
    return reader != nullptr ? reader->format.name : "none";
}

} // namespace

class RegistryTest : public QObject {
    Q_OBJECT

  private slots:
    void everyFormatIsComplete()
    {
        std::set<std::string_view> names, suffixes;
        for (const Reader& reader : readers()) {
            const ReportFormat& format = reader.format;
            QVERIFY(!reader.title.empty() && !format.tool.empty() && !format.suffixes.empty());
            QVERIFY(reader.memory_tenths > 0 && reader.recognizes && reader.details);
            QVERIFY((reader.read != nullptr) != (reader.readAll != nullptr));
            QVERIFY(names.insert(format.name).second);
            for (const std::string_view ending : format.suffixes) {
                QVERIFY(ending.find('.') != std::string_view::npos && suffixes.insert(ending).second);
                QCOMPARE(readerByName("a/b" + std::string(ending) + ".gz"), &reader);
            }
            for (const std::string_view own : format.uniqueSuffixes)
                QCOMPARE(formatOfFile("b" + std::string(own)), &format);
        }
        QCOMPARE(names.size(), reportFormats().size()); // no format without a reader
        QCOMPARE(knownSuffixes().size(), suffixes.size() + kCompressionSuffixes.size());
    }

    void namesGiveAFirstGuess()
    {
        QCOMPARE(nameOf(readerByName("a/run.nsys-rep")), "nsys report");
        QCOMPARE(nameOf(readerByName("a/rank0.pt.trace.json.gz")), "chrome json");
        QCOMPARE(nameOf(readerByName("snapshot.pickle.zst")), "memory snapshot");
        QCOMPARE(nameOf(readerByName("node0.events.jsonl")), "run events");
        QCOMPARE(nameOf(readerByName("notes.txt")), "none");
    }

    void sizesFollowTheFormat()
    {
        const test::TempDir folder;
        const std::string bytes(100'000, ' ');
        const auto forecast = [&](const char* name) {
            return unexaminedFile(folder.write(name, bytes)).memory_bytes - (64 << 10);
        };
        QCOMPARE(forecast("a.json"), uint64_t(20'000));
        QCOMPARE(forecast("a.json.gz"), uint64_t(200'000));
        QCOMPARE(forecast("a.sqlite"), uint64_t(80'000));
        QCOMPARE(forecast("a.pickle"), uint64_t(200'000));
        QCOMPARE(forecast("a.lockstep"), uint64_t(800'000));
        QCOMPARE(forecast("a"), uint64_t(20'000));
    }

    // Columns that are stored as in memory remain in the file.
    void workspacesForecastTheirMemory()
    {
        const test::TempDir folder;
        const Workspace workspace =
            readReports(folder.write("a.json", kKinetoTrace), Progress(test::workers())).value();
        const auto taken = [&](StoredColumns columns) {
            const auto path = folder.path() / "a.lockstep";
            if (!saveWorkspaceFile(path, workspace, {}, Progress(), columns)) return uint64_t(0);
            const uint64_t found = findReports({folder.path()}, Progress()).value().files.at(1).memory_bytes;
            return unexaminedFile(path).memory_bytes == found ? found : 0;
        };
        const uint64_t packed = taken(StoredColumns::packed), raw = taken(StoredColumns::raw);
        const uint64_t slices = workspace.report(workspace.keys().front()).slices.size();
        QVERIFY2(packed >= raw + 37 * slices && raw > 0, std::to_string(packed).c_str());
    }

    void rowsOfTypes()
    {
        QCOMPARE(rowBytesOf("i64"), size_t(8));
        QCOMPARE(rowBytesOf("u64[2]"), size_t(16));
        QCOMPARE(rowBytesOf("12 bytes: cause u32 at 0"), size_t(12));
        for (const char* const other : {"", "i", "x64", "u64[3]", "12", "99999999 bytes:", "-8 bytes:"})
            QCOMPARE(rowBytesOf(other), size_t(0));
    }

    void theToolIsNamedOnOpening()
    {
        const test::TempDir folder;
        const auto toolOf = [](const std::filesystem::path& path) {
            return readReport(path, Progress(test::workers())).value()->provenance.tool;
        };
        QCOMPARE(toolOf(folder.write("a.json", kTrace)), std::string("JSON"));
        QCOMPARE(toolOf(folder.write("b.json", kKinetoTrace)), std::string("PyTorch"));
        const FoundReports found = findReports({folder.path()}, Progress()).value();
        QCOMPARE(found.files.at(0).tool, std::string("JSON"));
    }

    // A workspace does not store the tool's name: each report gets it from its own format.
    void theToolIsNamedAgainInAWorkspace()
    {
        const test::TempDir folder;
        const auto path = folder.path() / "w.lockstep";
        const Workspace workspace =
            readReports(folder.write("b.json", kKinetoTrace), Progress(test::workers())).value();
        QVERIFY(saveWorkspaceFile(path, workspace, {{"bookmarks", "x"}}, Progress()));
        const FileContents contents = readContents(path, Progress(test::workers())).value();
        QVERIFY(contents.isWorkspace);
        QCOMPARE(contents.sections.at("bookmarks"), std::string("x"));
        QCOMPARE(contents.workspace.report(ReportKey(0u)).provenance.tool, std::string("PyTorch"));
        QVERIFY(!readContents(folder.path() / "b.json", Progress(test::workers()))->isWorkspace);
    }

    void unknownFilesListTheKnownFormats()
    {
        const test::TempDir folder;
        const auto text = readReport(folder.write("a.txt", "no trace at all"), Progress(test::workers()));
        QVERIFY(!text && text.error().kind == ErrorKind::unsupported);
        for (const Reader& reader : readers())
            QVERIFY(text.error().message.find(reader.title) != std::string::npos);
        QVERIFY(test::runSql(folder.path() / "wandb.db", "CREATE TABLE runs(id INTEGER)"));
        const auto database = readReport(folder.path() / "wandb.db", Progress(test::workers()));
        QVERIFY(!database &&
                database.error().message.find("not an Nsight Systems export") != std::string::npos);
    }
};

LOCKSTEP_TEST(RegistryTest, "registry_test")
#include "registry_test.moc"
