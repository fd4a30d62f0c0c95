// SPDX-License-Identifier: Apache-2.0
// Tests that data from a watched host only determines the bytes of files in one folder.
#include <fstream>

#include <sys/stat.h>

#include <QTest>

#include "core/readers/capture_spool/capture_spool_reader.h"
#include "core/remote/live_feed.h"
#include "tests/support/made_spool.h"
#include "tests/support/small_disk.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;
namespace fs = std::filesystem;

namespace {

// As LiveFrames passes it.
LiveFrame frameOf(const char* kind, const Json& fields, std::string_view payload = {})
{
    LiveFrames frames;
    frames.add(liveFrame(kind, fields, payload));
    return *frames.next();
}

size_t filesBelow(const fs::path& folder)
{
    return static_cast<size_t>(
        std::ranges::count_if(fs::recursive_directory_iterator(folder),
                              [](const fs::directory_entry& entry) { return entry.is_regular_file(); }));
}

std::string contentsOf(const fs::path& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// The header and the blocks of a spool, separately.
struct Parts {
    explicit Parts(uint8_t session = 1, int blocks = 3)
    {
        MadeSpool spool(session);
        header = spool.bytes();
        size_t end = header.size();
        spool.meta();
        for (int i = 0; i <= blocks; ++i) {
            bodies.push_back(spool.bytes().substr(end));
            end = spool.bytes().size();
            spool.pairs((i + 1) * 1'000'000'000ll, 4);
        }
    }
    std::string header;
    std::vector<std::string> bodies;
};

LiveFrame fileFrame(const Parts& parts, int number = 1, const std::string& name = "a.lsc")
{
    return frameOf("file", {{"file", number}, {"name", name}, {"id", "of no account"}}, parts.header);
}
LiveFrame blockFrame(const Parts& parts, size_t block, int number = 1)
{
    return frameOf("block", {{"file", number}, {"sequence", block}}, parts.bodies[block]);
}

LiveFrame recordsFrame(const std::string& id, uint64_t position = 0, int number = 1,
                       const std::string& path = "/runs/areal/perf_tracer/actor/traces-r0.jsonl")
{
    return frameOf("records", {{"file", number}, {"id", id}, {"path", path}, {"position", position}});
}
LiveFrame linesFrame(uint64_t position, const std::string& lines, int number = 1)
{
    return frameOf("lines", {{"file", number}, {"position", position}}, lines);
}

} // namespace

class LiveStoreTest : public QObject {
    Q_OBJECT

  private slots:
    void onlySpoolsAreAccepted()
    {
        const TempDir folder;
        LiveStore store(folder.path() / "live" / "node0");
        const Parts parts;
        QVERIFY(store.take(fileFrame(parts, 1, "actor_rank0_h_1.1.lsc")));
        for (size_t i = 0; i < parts.bodies.size(); ++i)
            QVERIFY(store.take(blockFrame(parts, i)));
        QCOMPARE(store.spools().size(), size_t(1));
        const LiveSpool& spool = store.spools()[0];
        QCOMPARE(spool.path.filename().string(), std::string("actor_rank0_h_1.1.lsc"));
        QCOMPARE(spool.nextBlock, uint64_t(parts.bodies.size()));
        QCOMPARE(spool.newest_ns, 3'003'500'000);
        QCOMPARE(spool.bytes, uint64_t(fs::file_size(spool.path)));
        const auto report = readCaptureSpool(contentsOf(spool.path), {}, Progress());
        QVERIFY(report && (*report)->slices.size() == 12);
        struct stat status = {};
        QCOMPARE(::stat(spool.path.c_str(), &status), 0);
        QCOMPARE(status.st_mode & 0777, 0600u);
        QCOMPARE(::stat(spool.path.parent_path().c_str(), &status), 0);
        QCOMPARE(status.st_mode & 0777, 0700u);
        QVERIFY(store.notes().empty());
    }

    void namesAreNotPaths()
    {
        for (const std::string name : {"../../../escape.lsc", "/etc/passwd", "a/b/c.lsc", "..", ".", "",
                                       ".hidden.lsc", "a\nb.lsc", "\xff\xfe.lsc", "\x1b[31m.lsc"}) {
            const TempDir folder;
            LiveStore store(folder.path() / "live");
            QVERIFY(store.take(fileFrame(Parts(), 1, name)));
            QCOMPARE(store.spools().size(), size_t(1));
            const fs::path path = store.spools()[0].path;
            QCOMPARE(path.parent_path().string(), (folder.path() / "live" / "1").string());
            const std::string safe = path.filename().string();
            QVERIFY2(safe.ends_with(".lsc") && safe.front() != '.', safe.c_str());
            QVERIFY(safe.find_first_of("/\n\x1b\xff") == std::string::npos);
            QVERIFY(fs::is_regular_file(path));
        }
        QVERIFY(safeSpoolName(std::string(5000, 'a')).size() <= 128);
    }

    void mislabeledBlocks()
    {
        const TempDir folder;
        LiveStore store(folder.path());
        const Parts parts, other(7);
        QVERIFY(store.take(fileFrame(parts)));
        QVERIFY(store.take(blockFrame(parts, 0)));
        const uint64_t before = store.spools()[0].bytes;
        std::string flipped = parts.bodies[1];
        flipped[60] = static_cast<char>(flipped[60] ^ 1);
        for (const std::string& payload :
             {flipped, parts.bodies[1] + "x", parts.bodies[1].substr(0, 50), std::string(),
              std::string(100, 'x'), parts.bodies[1] + parts.bodies[2]})
            QVERIFY(store.take(frameOf("block", {{"file", 1}}, payload)));
        QVERIFY(store.take(frameOf("block", {{"file", 99}}, parts.bodies[1])));
        QVERIFY(store.take(frameOf("block", {{"file", "x"}}, parts.bodies[1])));
        QCOMPARE(store.spools()[0].bytes, before);
        QCOMPARE(store.notes().size(), size_t(1)); // once, however often
        QVERIFY(store.take(blockFrame(parts, 2)));
        const uint64_t after = store.spools()[0].bytes;
        QVERIFY(store.take(blockFrame(parts, 1))); // backwards
        QVERIFY(store.take(blockFrame(parts, 2))); // and again
        QCOMPARE(store.spools()[0].bytes, after);
        QCOMPARE(store.notes().size(), size_t(2));
    }

    void invalidHeaders()
    {
        const TempDir folder;
        LiveStore store(folder.path());
        const Parts parts;
        std::string longer = parts.header + std::string(10'000, 'x'), flipped = parts.header;
        flipped[20] = static_cast<char>(flipped[20] ^ 1);
        for (const std::string& header :
             {longer, flipped, std::string(), std::string(64, 'x'), parts.header.substr(0, 63)})
            QVERIFY(store.take(frameOf("file", {{"file", 1}, {"name", "a.lsc"}}, header)));
        QVERIFY(store.spools().empty());
        QVERIFY(!store.notes().empty());
        QVERIFY(fs::is_empty(folder.path()));
        // One number for two spools, and one spool under two numbers, are invalid and end the stream.
        QVERIFY(store.take(fileFrame(parts, 1)));
        QVERIFY(!store.take(fileFrame(Parts(2), 1)));
        QVERIFY(!store.take(fileFrame(parts, 2)));
    }

    // After a lost connection, the same file continues with the missing block, under any number.
    void nextStreamContinues()
    {
        const TempDir folder;
        LiveStore store(folder.path());
        const Parts parts;
        QVERIFY(store.take(fileFrame(parts, 1)));
        QVERIFY(store.take(blockFrame(parts, 0)));
        QVERIFY(store.take(blockFrame(parts, 1)));
        const auto have = jsonFrom(store.haveLine());
        QCOMPARE(countAt(objectAt(have, "have"), store.spools()[0].id.c_str()), uint64_t(2));
        QVERIFY(store.haveLine().ends_with("\n"));
        store.beginStream();
        QVERIFY(store.take(blockFrame(parts, 2))); // its number is undefined yet
        QCOMPARE(store.spools()[0].nextBlock, uint64_t(2));
        QVERIFY(store.take(fileFrame(parts, 5)));
        QVERIFY(store.take(blockFrame(parts, 2, 5)));
        QVERIFY(store.take(blockFrame(parts, 3, 5)));
        QCOMPARE(store.spools().size(), size_t(1));
        QCOMPARE(contentsOf(store.spools()[0].path),
                 parts.header + parts.bodies[0] + parts.bodies[1] + parts.bodies[2] + parts.bodies[3]);
    }

    void tooManyAndTooMuch()
    {
        const TempDir folder;
        LiveStore store(folder.path(), 2000);
        const Parts parts(1, 40);
        QVERIFY(store.take(fileFrame(parts)));
        for (size_t i = 0; i < parts.bodies.size(); ++i)
            QVERIFY(store.take(blockFrame(parts, i)));
        QVERIFY(fs::file_size(store.spools()[0].path) <= 2000);
        QVERIFY(std::ranges::any_of(store.notes(), [](const std::string& note) {
            return note.find("the rest is not stored") != std::string::npos;
        }));
        for (int i = 0; i < 1'000; ++i)
            QVERIFY(store.take(
                frameOf("note", {{"text", "note " + std::to_string(i) + std::string(9000, 'x')}})));
        QVERIFY(store.notes().size() <= LiveStore::kMaxNotes);
        QVERIFY(store.notes().back().size() <= 500);
    }

    void linesAreAppended()
    {
        const TempDir folder;
        LiveStore store(folder.path() / "live");
        QVERIFY(store.take(recordsFrame("a")));
        QVERIFY(store.take(linesFrame(0, "{\"n\": 1}\n")));
        QVERIFY(store.take(linesFrame(9, "{\"n\": 2}\n{\"n\": 3}\n")));
        QVERIFY(store.take(frameOf("skipped", {{"file", 1}, {"bytes_skipped", 1000}, {"why", "slow"}})));
        QVERIFY(store.take(linesFrame(1027, "{\"n\": 5}\n")));
        const LiveRecordFile& file = store.records().at(0);
        QCOMPARE(contentsOf(file.path), "{\"n\": 1}\n{\"n\": 2}\n{\"n\": 3}\n{\"n\": 5}\n");
        QCOMPARE(file.bytes, uint64_t(36));
        QCOMPARE(file.position, uint64_t(1036));
        QCOMPARE(file.skipped_bytes, uint64_t(1000));
        // The folders above may name the role.
        QVERIFY(file.path.string().ends_with("/perf_tracer/actor/traces-r0.jsonl"));
        struct stat status = {};
        QCOMPARE(::stat(file.path.c_str(), &status), 0);
        QCOMPARE(status.st_mode & 0777, 0600u);
        QVERIFY(store.notes().empty());
        QVERIFY(store.take(frameOf("done", {{"file", 1}})));
        QVERIFY(store.records()[0].isDone);
    }

    void pathsOfRecordsAreNotTrusted()
    {
        for (const std::string path :
             {"../../../escape.jsonl", "/etc/passwd", "..", ".", "", "/", "a/../../b", "a\nb/c\x1b.jsonl",
              "\xff\xfe/.hidden", "a/b/c/d/e/f/g"}) {
            const TempDir folder;
            LiveStore store(folder.path() / "live");
            QVERIFY(store.take(recordsFrame("../../x", 0, 1, path)));
            QVERIFY(store.take(linesFrame(0, "{}\n")));
            const fs::path inside =
                fs::weakly_canonical(store.records().at(0).path).lexically_relative(folder.path());
            QVERIFY2(inside.string().starts_with("live/records/1/1/"), inside.c_str());
            QVERIFY(inside.string().find_first_of("\n\x1b\xff") == std::string::npos);
            QVERIFY(fs::is_regular_file(store.records()[0].path));
        }
    }

    void mislabeledLines()
    {
        const TempDir folder;
        LiveStore store(folder.path());
        QVERIFY(store.take(recordsFrame("a")));
        for (const std::string& lines :
             {std::string("\x1F\x8B compressed\n"), std::string("SQLite format 3\n"), std::string("\n")})
            QVERIFY(store.take(linesFrame(0, lines)));
        QCOMPARE(store.records()[0].bytes, uint64_t(0));
        QVERIFY(store.take(linesFrame(0, "{\"n\": 1}\n")));
        QVERIFY(store.take(linesFrame(0, "{\"n\": 1}\n"))); // again
        QVERIFY(store.take(linesFrame(9, "{\"n\": 2}")));   // not a whole line
        QVERIFY(store.take(linesFrame(9, "")));
        QVERIFY(store.take(linesFrame(9, "{\"n\": 2}\n", 99)));
        QCOMPARE(contentsOf(store.records()[0].path), "{\"n\": 1}\n");
        QCOMPARE(store.notes().size(), size_t(2));
        QVERIFY(!store.take(recordsFrame("b", 0, 1))); // one number for two files
    }

    // After a lost link, the file continues under any number. A file that was truncated begins anew.
    void recordsContinueOrBeginAnew()
    {
        const TempDir folder;
        LiveStore store(folder.path());
        QVERIFY(store.take(recordsFrame("a")));
        QVERIFY(store.take(linesFrame(0, "{\"n\": 1}\n")));
        const auto have = jsonFrom(store.haveLine());
        QCOMPARE(countAt(objectAt(have, "have"), "a"), uint64_t(9));
        store.beginStream();
        QVERIFY(store.take(linesFrame(9, "{\"n\": 2}\n"))); // its number is undefined yet
        QVERIFY(store.take(recordsFrame("a", 9, 4)));
        QVERIFY(store.take(linesFrame(9, "{\"n\": 2}\n", 4)));
        QCOMPARE(contentsOf(store.records()[0].path), "{\"n\": 1}\n{\"n\": 2}\n");
        const fs::path before = store.records()[0].path;
        QVERIFY(store.take(recordsFrame("a", 0, 5)));
        QVERIFY(store.take(linesFrame(0, "{\"n\": 7}\n", 5)));
        QCOMPARE(store.records().size(), size_t(1));
        QVERIFY(store.records()[0].path != before);
        QCOMPARE(store.records()[0].path.filename(), before.filename());
        QCOMPARE(contentsOf(store.records()[0].path), "{\"n\": 7}\n");
        QVERIFY(fs::exists(before)); // a report of it may still be shown
    }

    // Of a long file, the first lines and the newest are kept, on disk, too.
    void longRecordsAreShortened()
    {
        const TempDir folder;
        LiveStore store(folder.path(), LiveStore::kMaxBytes, 1);
        const auto row = [](int number) {
            const std::string text = "{\"n\": " + std::to_string(number);
            return text + std::string(999 - text.size(), ' ') + "}\n"; // 1001 bytes
        };
        QVERIFY(store.take(recordsFrame("a")));
        for (int number = 0; number < 20'000; ++number)
            QVERIFY(store.take(linesFrame(static_cast<uint64_t>(number) * 1001, row(number))));
        const LiveRecordFile& file = store.records()[0];
        QVERIFY(file.copies > 5);
        QVERIFY2(file.bytes <= LiveStore::kMinRecords_bytes, std::to_string(file.bytes).c_str());
        const std::string text = contentsOf(file.path);
        QCOMPARE(text.size(), size_t(file.bytes));
        QVERIFY(text.starts_with(row(0) + row(1) + row(2) + row(3)));
        QVERIFY(text.ends_with(row(19'998) + row(19'999)));
        for (size_t at = 0; at < text.size(); at += 1001)
            QVERIFY(text[at] == '{' && text[at + 1000] == '\n');
        QCOMPARE(file.position, uint64_t(20'000) * 1001);
        QCOMPARE(filesBelow(folder.path()), size_t(2)); // with the previous one
        QCOMPARE(store.notes().size(), size_t(1));
    }

    // The host may send a dump in any order, without an end, or as something else.
    void dumpsAreNotTrusted()
    {
        const TempDir folder;
        LiveStore store(folder.path());
        const auto announce = [&](const std::string& id, uint64_t position, int number) {
            return store.take(frameOf("records", {{"file", number},
                                                  {"id", id},
                                                  {"position", position},
                                                  {"path", "/d/12.pt"},
                                                  {"dump", true}}));
        };
        const auto end = [&](int number, uint64_t bytes) {
            return store.take(frameOf("done", {{"file", number}, {"ended", true}, {"size", bytes}}));
        };
        QVERIFY(announce("a", 0, 1));
        QVERIFY(store.take(linesFrame(0, "{\"n\": 1}\n", 1)));
        QCOMPARE(store.records()[0].bytes, uint64_t(0));
        QVERIFY(end(1, 0));
        QVERIFY(!store.records()[0].isReadable()); // nothing has arrived
        QVERIFY(announce("b", 0, 2));
        QVERIFY(store.take(linesFrame(0, "PK\x03\x04one", 2)));
        QVERIFY(store.take(linesFrame(9, "late", 2)));
        QVERIFY(store.take(linesFrame(3, "early", 2)));
        QCOMPARE(store.records()[1].bytes, uint64_t(7));
        QVERIFY(!store.records()[1].isReadable());
        // The link was lost. The host continues, then starts again.
        store.beginStream();
        QVERIFY(announce("b", 7, 1));
        QVERIFY(store.take(linesFrame(7, "two", 1)));
        QCOMPARE(contentsOf(store.records()[1].path), std::string("PK\x03\x04onetwo"));
        store.beginStream();
        QVERIFY(announce("b", 0, 1));
        QCOMPARE(store.records()[1].bytes, uint64_t(0));
        QVERIFY(store.take(linesFrame(0, "PK\x03\x04ZZZ", 1)));
        QVERIFY(end(1, 9));
        QVERIFY(!store.records()[1].isReadable()); // a part is missing, perhaps because the disk was full
        QVERIFY(end(1, 7));
        QVERIFY(store.records()[1].isReadable());
        QVERIFY(store.take(linesFrame(7, "more", 1)));
        QCOMPARE(contentsOf(store.records()[1].path), std::string("PK\x03\x04ZZZ"));
        // The link is lost again: first nothing of the dump is missing, then the host sends it from the
        // start.
        store.beginStream();
        QVERIFY(announce("b", 7, 1));
        QVERIFY(store.records()[1].isReadable());
        store.beginStream();
        QVERIFY(announce("b", 0, 1));
        QVERIFY(!store.records()[1].isReadable());
        QVERIFY(store.take(linesFrame(0, "PK\x03\x04YYY", 1)));
        QVERIFY(end(1, 7));
        QVERIFY(store.records()[1].isReadable());
        QVERIFY(!store.notes().empty());
    }

    void dumpsHaveALimit()
    {
        const TempDir folder;
        LiveStore store(folder.path());
        QVERIFY(store.take(frameOf(
            "records", {{"file", 1}, {"id", "a"}, {"position", 0}, {"path", "/d/12.pt"}, {"dump", true}})));
        const std::string piece = "PK\x03\x04" + std::string((8 << 20) - 4, 'x');
        for (uint64_t i = 0; i < 10; ++i)
            QVERIFY(store.take(linesFrame(i * piece.size(), piece)));
        QCOMPARE(store.records()[0].bytes, LiveStore::kMaxRecords_bytes);
        QVERIFY(!store.notes().empty());
    }

    void tooManyFilesWithRecords()
    {
        const TempDir folder;
        LiveStore store(folder.path(), LiveStore::kMaxBytes);
        for (int i = 0; i < 1500; ++i)
            QVERIFY(store.take(recordsFrame("id" + std::to_string(i), 0, i)));
        QCOMPARE(store.records().size(), LiveStore::kMaxRecordFiles);
        QCOMPARE(store.notes().size(), size_t(1));
    }

    void fullDiskSplitsNoLine()
    {
        const TempDir folder;
        const SmallDisk disk(folder.path() / "disk", "64k");
        if (!disk.isMounted) QSKIP("this user may not mount a small disk");
        LiveStore store(folder.path() / "disk");
        QVERIFY(store.take(recordsFrame("a")));
        const std::string line = "{\"n\": \"" + std::string(5000, 'x') + "\"}\n";
        for (size_t i = 0; i < 50; ++i)
            QVERIFY(store.take(linesFrame(i * line.size(), line)));
        QVERIFY(!store.notes().empty());
        const std::string text = contentsOf(store.records()[0].path);
        QVERIFY(!text.empty() && text.size() % line.size() == 0);
        QCOMPARE(text.size(), size_t(store.records()[0].bytes));
        // No room for another file.
        std::ofstream(folder.path() / "disk/full") << std::string(64 * 1024, 'x');
        const size_t notes = store.notes().size();
        QVERIFY(store.take(recordsFrame("b", 0, 2)));
        QVERIFY(store.take(linesFrame(0, line, 2)));
        QVERIFY(store.notes().size() > notes);
    }

    void fullDiskSplitsNoBlock()
    {
        const TempDir folder;
        const SmallDisk disk(folder.path() / "disk", "16k");
        if (!disk.isMounted) QSKIP("this user may not mount a small disk");
        LiveStore store(folder.path() / "disk");
        const Parts parts(1, 400);
        QVERIFY(store.take(fileFrame(parts)));
        for (size_t i = 0; i < parts.bodies.size(); ++i)
            QVERIFY(store.take(blockFrame(parts, i)));
        QVERIFY(!store.notes().empty());
        const auto report = readCaptureSpool(contentsOf(store.spools()[0].path), {}, Progress());
        QVERIFY(report.has_value());
        QCOMPARE(fs::file_size(store.spools()[0].path), store.spools()[0].bytes);
    }
};

LOCKSTEP_TEST(LiveStoreTest, "live_store_test")
#include "live_store_test.moc"
