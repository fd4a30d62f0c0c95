// SPDX-License-Identifier: Apache-2.0
// Tests workspace files: the invalid ones that are refused, the stored content, and that a save that fails or
// is killed leaves the old file intact.
#include "core/readers/workspace_file/workspace_file.h"

#include <array>
#include <csignal>
#include <fstream>
#include <functional>
#include <sstream>

#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/block_file.h"
#include "core/trace/identity.h"
#include "core/trace/report_columns.h"
#include "tests/support/report_compare.h"
#include "tests/support/report_of.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;
using lockstep::test::filesIn;
using lockstep::test::reportOf;
using lockstep::test::TempDir;
using lockstep::test::workspaceOfRanges;

namespace {

namespace fs = std::filesystem;

// A workspace that is recognized by its section; large enough to need many writes.
std::string versionIn(const fs::path& path)
{
    const auto opened = openWorkspaceFile(path, Progress(test::workers()));
    return opened ? opened->sections.at("version") : "broken: " + opened.error().message;
}

std::string bytesOf(const fs::path& path)
{
    std::ostringstream out;
    out << std::ifstream(path, std::ios::binary).rdbuf();
    return out.str();
}

// Writes the blocks of a file to another file, each after a call of `change`, and more blocks after them.
void rewrite(const BlockFile& from, const fs::path& path,
             const std::function<void(Block&, std::string&)>& change, const std::vector<Block>& more = {})
{
    OutputFile file = OutputFile::create(path).value();
    BlockWriter writer(file, from.format());
    for (Block block : from.blocks()) {
        std::string bytes(from.bytesOf(block));
        change(block, bytes);
        writer.add(std::move(block), bytes);
    }
    for (const Block& block : more)
        writer.add(block, "12345678");
    writer.finish();
    QVERIFY(file.commit());
}

// Runs `work` in a child process and returns its wait status.
int inChild(const std::function<int()>& work)
{
    const pid_t child = ::fork();
    if (child == 0) ::_exit(work());
    int status = 0;
    ::waitpid(child, &status, 0);
    return status;
}

} // namespace

class WorkspaceFileTest : public QObject {
    Q_OBJECT

  private slots:
    void reopensWithoutOriginals()
    {
        const TempDir folder;
        const auto path = folder.path() / "w.lockstep";
        const Workspace workspace = workspaceOfRanges(1000);
        QVERIFY(saveWorkspaceFile(path, workspace, {{"version", "1"}, {"empty", ""}}, Progress()));
        QCOMPARE(filesIn(folder.path()), size_t(1));
        const Workspace reports = readReports(path, Progress(test::workers())).value();
        QCOMPARE(reports.size(), size_t(1));
        QCOMPARE(
            lockstep::test::firstDifference(reports.report(ReportKey(0u)), workspace.report(ReportKey(0u))),
            std::string());
        QVERIFY(readReport(path, Progress(test::workers())));
        QCOMPARE(openWorkspaceFile(path, Progress(test::workers()))->sections.at("empty"), std::string());
        QVERIFY(openWorkspaceBytes(bytesOf(path), Progress()));
    }

    void manualIdentitiesArePreserved()
    {
        const TempDir folder;
        const auto path = folder.path() / "w.lockstep";
        Identity stated, planned;
        QVERIFY(editPart(stated, "rank", "7", "set by hand"));
        planned.step = {5, "capture 2 of the steps in s", Confidence::stated};
        Workspace workspace = workspaceOfRanges(1);
        workspace.add(reportOf({"b.2.nsys-rep", 2, {}, {}, {}}), stated, planned);
        QVERIFY(saveWorkspaceFile(path, workspace, {{"bookmarks", "x"}}, Progress()));
        const auto contents = openWorkspaceFile(path, Progress(test::workers()));
        QVERIFY(contents);
        QCOMPARE(contents->sections.size(), size_t(1));
        QCOMPARE(contents->workspace.reportIdentity(ReportKey(0u)).stated, Identity());
        QCOMPARE(contents->workspace.reportIdentity(ReportKey(1u)).stated, stated);
        QCOMPARE(contents->workspace.identity(ReportKey(1u)), workspace.identity(ReportKey(1u)));
        QCOMPARE(*contents->workspace.identity(ReportKey(1u)).step.value, 5);
    }

    void severalReportsAreNotASingleReport()
    {
        const TempDir folder;
        const auto path = folder.path() / "w.lockstep";
        Workspace workspace = workspaceOfRanges(1);
        workspace.add(reportOf({"b.json", 2, {}, {}, {}}));
        QVERIFY(saveWorkspaceFile(path, workspace, {}, Progress()));
        QCOMPARE(readReports(path, Progress(test::workers()))->size(), size_t(2));
        const auto one = readReport(path, Progress(test::workers()));
        QVERIFY(!one && one.error().kind == ErrorKind::unsupported);
    }

    void newerAndForeignFilesAreRefused()
    {
        const TempDir folder;
        const auto path = folder.path() / "w.lockstep";
        const auto errorOf = [&](uint32_t format) {
            OutputFile file = OutputFile::create(path).value();
            BlockWriter(file, format).finish();
            return file.commit() ? openWorkspaceFile(path, Progress(test::workers())).error() : Error{};
        };
        QVERIFY(errorOf(99).kind == ErrorKind::unsupported);
        QVERIFY(errorOf(99).message.find("newer Lockstep (format 99") != std::string::npos);
        QVERIFY(errorOf(0).kind == ErrorKind::corrupt);
        QVERIFY(errorOf(1).kind == ErrorKind::corrupt);
        QVERIFY(openWorkspaceFile(folder.path() / "none", Progress(test::workers())).error().kind ==
                ErrorKind::notFound);
        std::ofstream(path) << "SQLite format 3";
        QVERIFY(openWorkspaceFile(path, Progress(test::workers())).error().kind == ErrorKind::unsupported);
    }

    // Bytes of the first chunk of a column, or of its head, are overwritten; the block's checksum is correct.
    void damagedChunksAreFound_data()
    {
        QTest::addColumn<std::string>("column");
        QTest::addColumn<size_t>("at");
        QTest::addColumn<std::string>("bytes");
        const auto addRow = [](const char* name, const char* column, size_t at, std::string_view bytes) {
            QTest::newRow(name) << std::string(column) << at << std::string(bytes);
        };
        addRow("one row fewer", "slice.name", 0, {"\xE7\x03\0\0", 4});
        addRow("too many rows", "slice.name", 0, "\xFF\xFF\xFF\xFF");
        addRow("no rows", "slice.name", 0, {"\0\0\0\0", 4});
        addRow("unknown words", "slice.name", 4, "\xC8");
        addRow("other words", "slice.name", 4, "\x01");
        addRow("width 3", "slice.start", 5, "\x03");
        addRow("longer body", "slice.start", 8, "\xFF\xFF");
        addRow("not zstd", "slice.duration", 16, {"\0", 1});
    }
    void damagedChunksAreFound()
    {
        QFETCH(std::string, column);
        QFETCH(size_t, at);
        QFETCH(std::string, bytes);
        const TempDir folder;
        const auto path = folder.path() / "w.lockstep";
        QVERIFY(saveWorkspaceFile(path, workspaceOfRanges(1000), {}, Progress()));
        const auto file = BlockFile::open(path).value();
        const auto damage = [&](Block& block, std::string& stored) {
            if (block.name == column) stored.replace(at, bytes.size(), bytes);
        };
        rewrite(*file, path, damage);
        const auto opened = openWorkspaceFile(path, Progress(test::workers()));
        QVERIFY(!opened);
        QVERIFY(opened.error().kind == ErrorKind::corrupt);
    }

    // Every block is changed in turn: its bytes, its directory entry, and by omission. Each change is either
    // refused as corrupt or, if the block is not needed here, reported.
    void damagedBlocksAreFound_data()
    {
        QTest::addColumn<bool>("isRaw");
        QTest::newRow("compressed") << false;
        QTest::newRow("raw") << true;
    }
    void damagedBlocksAreFound()
    {
        QFETCH(bool, isRaw);
        const TempDir folder;
        const auto path = folder.path() / "w.lockstep", changed = folder.path() / "changed.lockstep";
        const auto columns = isRaw ? StoredColumns::raw : StoredColumns::packed;
        QVERIFY(saveWorkspaceFile(path, workspaceOfRanges(1000), {{"s", "x"}}, Progress(), columns));
        const auto file = BlockFile::open(path).value();
        QVERIFY(file->blocks().size() > 15);
        using Change = void (*)(Block&, std::string&);
        const std::array<Change, 6> changes{
            [](Block& block, std::string&) { block.name.clear(); },
            [](Block& block, std::string&) { block.type += "x"; },
            [](Block& block, std::string&) { block.coding = "later"; },
            [](Block& block, std::string&) { ++block.rows; },
            [](Block&, std::string& bytes) { bytes.resize(bytes.size() / 2); },
            [](Block& block, std::string&) { block.owner = 5; },
        };
        for (size_t at = 0; at < file->blocks().size(); ++at) {
            for (size_t change = 0; change < changes.size(); ++change) {
                const Block& of = file->blocks()[at];
                const bool isFree = of.rows == 0 || of.owner == Block::kWholeFile;
                if (isFree && change != 5 && change != 0) continue;
                if (of.name == "header" && (change == 1 || change == 3)) continue; // neither is checked
                if (of.owner == Block::kWholeFile && change == 0) continue;
                rewrite(*file, changed, [&](Block& block, std::string& bytes) {
                    if (block.owner == of.owner && block.name == of.name) changes[change](block, bytes);
                });
                const auto opened = openWorkspaceFile(changed, Progress(test::workers()));
                const bool isTold = opened && of.rows == 0;
                QVERIFY2(isTold || (!opened && opened.error().kind == ErrorKind::corrupt),
                         (of.name + " " + std::to_string(change)).c_str());
            }
        }
    }

    // Unknown content of a file is skipped and reported.
    void unknownBlocksAreReported()
    {
        const TempDir folder;
        const auto path = folder.path() / "w.lockstep", more = folder.path() / "more.lockstep";
        const Workspace workspace = workspaceOfRanges(10);
        QVERIFY(saveWorkspaceFile(path, workspace, {}, Progress()));
        const auto file = BlockFile::open(path).value();
        rewrite(*file, more, [](Block&, std::string&) {},
                {{.owner = 0, .name = "slice.energy", .type = "f64", .coding = "raw", .rows = 1},
                 {.name = "weather", .type = "text", .coding = "raw", .rows = 1}});
        const auto opened = openWorkspaceFile(more, Progress(test::workers()));
        QVERIFY(opened);
        const ImportNotes& notes = opened->workspace.report(ReportKey(0u)).notes;
        QCOMPARE(notes.all().size(), size_t(1));
        QCOMPARE(notes.all().front().kind, std::string("workspace.unknown_block"));
        QCOMPARE(notes.all().front().count, uint64_t(2));
        QCOMPARE(opened->workspace.report(ReportKey(0u)).slices.size(), size_t(10));
    }

    // Flips a bit anywhere in the file: the change is refused or, between the blocks, has no effect.
    void flippedBitsAreFound_data() { damagedBlocksAreFound_data(); }
    void flippedBitsAreFound()
    {
        QFETCH(bool, isRaw);
        const TempDir folder;
        const auto path = folder.path() / "w.lockstep";
        const Workspace workspace = workspaceOfRanges(300);
        const auto columns = isRaw ? StoredColumns::raw : StoredColumns::packed;
        QVERIFY(saveWorkspaceFile(path, workspace, {}, Progress(), columns));
        const std::string whole = bytesOf(path);
        int refused = 0, same = 0;
        for (size_t at = 0; at < whole.size(); at += 13) {
            std::string bytes = whole;
            bytes[at] = static_cast<char>(bytes[at] ^ (1 << at % 8));
            const auto opened = openWorkspaceBytes(bytes, Progress());
            opened ? ++same : ++refused;
            if (opened)
                QCOMPARE(lockstep::test::firstDifference(opened->workspace.report(ReportKey(0u)),
                                                         workspace.report(ReportKey(0u))),
                         std::string());
            QVERIFY(!openWorkspaceBytes(std::string_view(whole).substr(0, at), Progress()));
        }
        QVERIFY(refused > 5 * same);
    }

    // Raw columns are not copied: none of them is on the heap, and the file may be replaced meanwhile.
    void rawColumnsStayInTheFile()
    {
        const TempDir folder;
        const auto path = folder.path() / "w.lockstep";
        const Workspace workspace = workspaceOfRanges(200'000);
        QVERIFY(saveWorkspaceFile(path, workspace, {}, Progress(), StoredColumns::raw));
        const auto opened = openWorkspaceFile(path, Progress(test::workers()));
        QVERIFY(opened);
        const Report& report = opened->workspace.report(ReportKey(0u));
        size_t onHeap = 0;
        ReportColumns::visit(
            report, [&](const ColumnFacts&, const auto& column) { onHeap += column.residentBytes(); });
        QCOMPARE(onHeap, size_t(0));
        QVERIFY(saveWorkspaceFile(path, workspaceOfRanges(1), {}, Progress()));
        QCOMPARE(lockstep::test::firstDifference(report, workspace.report(ReportKey(0u))), std::string());
    }

    // The kernel refuses to let the file grow beyond a size, for every size: the behavior of a full disk.
    void fullDiskKeepsTheOldFile()
    {
        const TempDir folder;
        const auto path = folder.path() / "w.lockstep";
        QVERIFY(saveWorkspaceFile(path, workspaceOfRanges(10), {{"version", "old"}}, Progress()));
        const Workspace next = workspaceOfRanges(20'000);
        QVERIFY(saveWorkspaceFile(folder.path() / "size", next, {{"version", "new"}}, Progress()));
        const auto size = fs::file_size(folder.path() / "size");
        fs::remove(folder.path() / "size");
        for (uintmax_t limit = 0; limit < size + 65536; limit += 16384 + 1) {
            const int status = inChild([&] {
                std::signal(SIGXFSZ, SIG_IGN);
                const rlimit cap{limit, limit};
                ::setrlimit(RLIMIT_FSIZE, &cap);
                return saveWorkspaceFile(path, next, {{"version", "new"}}, Progress()) ? 0 : 1;
            });
            QCOMPARE(versionIn(path), std::string(WEXITSTATUS(status) == 0 ? "new" : "old"));
            QCOMPARE(WEXITSTATUS(status), limit >= size ? 0 : 1);
            QCOMPARE(filesIn(folder.path()), size_t(1)); // no copy remains
            if (WEXITSTATUS(status) == 0) break;
        }
        QCOMPARE(versionIn(path), std::string("new"));
    }

    void smallFileSystem()
    {
        const TempDir folder;
        const fs::path path = folder.path() / "w.lockstep";
        const int status = inChild([&] {
            const bool isPrivate = ::unshare(CLONE_NEWNS) == 0 || ::unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0;
            if (!isPrivate || ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return 2;
            if (::mount("none", folder.path().c_str(), "tmpfs", 0, "size=128k") != 0) return 2;
            if (!saveWorkspaceFile(path, workspaceOfRanges(10), {{"version", "old"}}, Progress())) return 3;
            if (saveWorkspaceFile(path, workspaceOfRanges(100'000), {{"version", "new"}}, Progress()))
                return 4;
            return versionIn(path) == "old" && filesIn(folder.path()) == 1 ? 0 : 5;
        });
        if (WEXITSTATUS(status) == 2) QSKIP("this machine lets no test mount a file system");
        QCOMPARE(WEXITSTATUS(status), 0);
    }

    // Killed after an increasing delay, until a save completes.
    void killedSaverLeavesOldOrNew()
    {
        const TempDir folder;
        const auto path = folder.path() / "w.lockstep";
        QVERIFY(saveWorkspaceFile(path, workspaceOfRanges(10), {{"version", "old"}}, Progress()));
        const Workspace next = workspaceOfRanges(20'000);
        bool isNew = false;
        for (int microseconds = 0; !isNew && microseconds < 2'000'000;
             microseconds += 500 + microseconds / 4) {
            const pid_t child = ::fork();
            if (child == 0) ::_exit(saveWorkspaceFile(path, next, {{"version", "new"}}, Progress()) ? 0 : 1);
            ::usleep(
                static_cast<useconds_t>(microseconds)); // the moment of the kill, not a wait for a result
            ::kill(child, SIGKILL);
            ::waitpid(child, nullptr, 0);
            const std::string version = versionIn(path);
            QVERIFY2(version == "old" || version == "new", version.c_str());
            isNew = version == "new";
        }
        QVERIFY(isNew);
    }

    void canceledSaveKeepsTheOldFile()
    {
        const TempDir folder;
        const auto path = folder.path() / "w.lockstep";
        QVERIFY(saveWorkspaceFile(path, workspaceOfRanges(10), {{"version", "old"}}, Progress()));
        std::stop_source stop;
        stop.request_stop();
        const auto saved =
            saveWorkspaceFile(path, workspaceOfRanges(10), {{"version", "new"}}, Progress(stop.get_token()));
        QVERIFY(!saved && saved.error().kind == ErrorKind::canceled);
        QCOMPARE(versionIn(path), std::string("old"));
        QCOMPARE(filesIn(folder.path()), size_t(1));
    }

    void linksAreFollowed()
    {
        const TempDir folder;
        const auto real = folder.path() / "real.lockstep";
        QVERIFY(saveWorkspaceFile(real, workspaceOfRanges(1), {{"version", "old"}}, Progress()));
        fs::create_symlink(real, folder.path() / "link.lockstep");
        QVERIFY(saveWorkspaceFile(folder.path() / "link.lockstep", workspaceOfRanges(1), {{"version", "new"}},
                                  Progress()));
        QVERIFY(fs::is_symlink(folder.path() / "link.lockstep"));
        QCOMPARE(versionIn(real), std::string("new"));
    }
};

LOCKSTEP_TEST(WorkspaceFileTest, "workspace_file_test")
#include "workspace_file_test.moc"
