// SPDX-License-Identifier: Apache-2.0
// Tests memory that is backed by a file: its content is unchanged while pages are released, a full disk is an
// error, and no file remains.
#include "core/base/spill_file.h"

#include <cstring>
#include <fstream>
#include <thread>

#include <sys/statvfs.h>

#include "core/base/column_place.h"
#include "tests/support/disk_place.h"
#include "tests/support/small_disk.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using lockstep::test::DiskPlace;
using lockstep::test::SmallDisk;
using lockstep::test::TempDir;
namespace fs = std::filesystem;

namespace {

constexpr size_t kMebibyte = size_t(1) << 20;

size_t entriesIn(const fs::path& folder)
{
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

std::string bytesOfFile(const fs::path& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace

class SpillFileTest : public QObject {
    Q_OBJECT

  private slots:
    void memoryBackedByAFile()
    {
        const TempDir folder("/var/tmp");
        const auto file = SpillFile::create(folder.path(), nullptr).value();
        auto* const first = static_cast<char*>(file->take(3 * kMebibyte));
        auto* const second = static_cast<char*>(file->take(1));
        QVERIFY(first != nullptr && second != nullptr);
        QVERIFY(std::all_of(first, first + 3 * kMebibyte, [](char c) { return c == 0; }));
        std::memset(first, 'a', 3 * kMebibyte);
        *second = 'b';
        QCOMPARE(*file->offsetOf(first + 5), uint64_t(5));
        QCOMPARE(*file->offsetOf(second), uint64_t(3 * kMebibyte));
        const int other = 0;
        QVERIFY(!file->offsetOf(&other));
        QCOMPARE(entriesIn(folder.path()), size_t(0)); // the file has no name
        file->append("end");
        QVERIFY(file->name(folder.path() / "named"));
        const std::string bytes = bytesOfFile(folder.path() / "named");
        QCOMPARE(bytes.size(), 3 * kMebibyte + 4096 + 3);
        QVERIFY(bytes[0] == 'a' && bytes[3 * kMebibyte - 1] == 'a' && bytes[3 * kMebibyte] == 'b');
        QVERIFY(bytes.ends_with("end"));
    }

    void existingFileIsKept()
    {
        const TempDir folder("/var/tmp");
        folder.write("named", "first");
        const auto file = SpillFile::create(folder.path(), nullptr).value();
        file->append("second");
        QVERIFY(file->name(folder.path() / "named"));
        QCOMPARE(bytesOfFile(folder.path() / "named"), std::string("first"));
    }

    void freedMemoryIsReturnedToTheDisk()
    {
        const TempDir folder("/var/tmp");
        const SmallDisk disk(folder.path() / "disk", "8M");
        if (!disk.isMounted) QSKIP("this user may not mount a small disk");
        const auto file = SpillFile::create(folder.path() / "disk", nullptr).value();
        for (int round = 0; round < 10; ++round) { // 60 MiB in total
            void* const memory = file->take(6 * kMebibyte);
            QVERIFY(memory != nullptr);
            std::memset(memory, round, 6 * kMebibyte);
            file->release(memory);
        }
        QVERIFY(file->status());
    }

    void aFullDiskIsAnError()
    {
        const TempDir folder("/var/tmp");
        const SmallDisk disk(folder.path() / "disk", "2M");
        if (!disk.isMounted) QSKIP("this user may not mount a small disk");
        const auto file = SpillFile::create(folder.path() / "disk", nullptr).value();
        QVERIFY(file->take(kMebibyte) != nullptr);
        QVERIFY(!file->hasFailed());
        QVERIFY(file->take(4 * kMebibyte) == nullptr);
        QVERIFY(file->take(1) == nullptr); // and remains an error
        QVERIFY(file->hasFailed());
        const std::string message = file->status().error().message;
        QVERIFY2(message.find((folder.path() / "disk").string()) != message.npos &&
                     message.find("No space left") != message.npos,
                 message.c_str());
        const ColumnPlace place(file, file);
        QCOMPARE(place.column<int>(100).size(), size_t(0));
        QCOMPARE(place.derivedColumn<int>(100).size(),
                 size_t(100)); // allocations that must not fail are on the heap
        QVERIFY(!place.status());
    }

    void missingFolder()
    {
        const TempDir folder;
        const fs::path none = folder.path() / "none";
        const auto file = SpillFile::create(none, nullptr);
        QVERIFY(!file);
        QCOMPARE(file.error().kind, ErrorKind::io);
        QVERIFY(file.error().message.starts_with(none.string() + ": "));
    }

    // The limit is far below the memory in use, so that all pages are released every 10 ms while they are
    // written.
    void pagesAreReleasedAndReadAgain()
    {
        const TempDir folder("/var/tmp");
        const auto limit = std::make_shared<ResidentLimit>(1);
        const auto file = SpillFile::create(folder.path(), limit).value();
        constexpr size_t kNumbers = 2 * kMebibyte;
        std::vector<std::jthread> writers;
        std::vector<uint64_t*> pieces;
        for (uint64_t writer = 0; writer < 3; ++writer) {
            pieces.push_back(static_cast<uint64_t*>(file->take(kNumbers * sizeof(uint64_t))));
            writers.emplace_back([piece = pieces.back(), writer] {
                for (size_t i = 0; i < kNumbers; ++i)
                    piece[i] = i * 3 + writer;
            });
        }
        // Memory at the same addresses that is not backed by the file must not be touched.
        const uint64_t roundsBefore = limit->rounds();
        while (limit->rounds() < roundsBefore + 20) {
            void* const temporary = file->take(kMebibyte);
            std::memset(temporary, 1, kMebibyte);
            file->release(temporary);
            std::vector<char> heap(kMebibyte, 2);
            QVERIFY(std::ranges::all_of(heap, [](char c) { return c == 2; }));
        }
        writers.clear();
        for (uint64_t writer = 0; writer < 3; ++writer) {
            for (size_t i = 0; i < kNumbers; ++i)
                QVERIFY(pieces[writer][i] == i * 3 + writer);
        }
    }

    void columnsOfAFile()
    {
        const DiskPlace disk;
        const ColumnPlace place = disk.place().value();
        Column<int64_t> column = place.column<int64_t>(100'000);
        std::ranges::fill(column, 7);
        QCOMPARE(column.residentBytes(), size_t(0));
        const Column<int64_t> copy = column; // on the heap
        QVERIFY(copy.residentBytes() > 0 && copy == column);
        QVERIFY(place.persistent()->offsetOf(column.data()));
        Column<int64_t> temporary = place.temporaryColumn<int64_t>(1000);
        QVERIFY(place.temporary()->offsetOf(temporary.data()));
        QVERIFY(ColumnPlace().column<int>(5) == Column<int>({0, 0, 0, 0, 0}));
        QCOMPARE(disk.keptFiles(), size_t(0));
    }

    void aFolderInMemoryIsRefused()
    {
        const TempDir folder("/var/tmp");
        const SmallDisk disk(folder.path() / "disk", "2M");
        if (!disk.isMounted) QSKIP("this user may not mount a small disk");
        fs::permissions(folder.path() / "disk", fs::perms(0700));
        const auto spills = std::make_shared<SpillFolder>(SpillFolder::Options{folder.path() / "disk"});
        const auto place = spills->place(1, 0);
        QVERIFY(!place);
        QVERIFY2(place.error().message.find("this folder is in memory") != std::string::npos,
                 place.error().message.c_str());
    }

    void foreignFolderIsRefused()
    {
        const TempDir folder("/var/tmp");
        fs::permissions(folder.path(), fs::perms(0777));
        const auto place = std::make_shared<SpillFolder>(SpillFolder::Options{folder.path()})->place(1, 0);
        QVERIFY(!place);
        QVERIFY2(place.error().message.find("other users can write to this folder") != std::string::npos,
                 place.error().message.c_str());
        fs::permissions(folder.path(), fs::perms(0700));
    }

    void diskWithoutRoomIsRefused()
    {
        const DiskPlace disk;
        QVERIFY(disk.place()); // creates the folder
        std::ofstream(disk.folder() / "kept.lockstep") << "of another file";
        const auto place = disk.spills()->place(uint64_t(1) << 50, 0);
        QVERIFY(!place);
        QCOMPARE(disk.keptFiles(), size_t(1)); // which would not have made enough room
        QCOMPARE(place.error().kind, ErrorKind::io);
        QVERIFY2(place.error().message.find("2.20 PiB are needed") != std::string::npos,
                 place.error().message.c_str());
    }

    void oldestIsReleasedFirst()
    {
        const TempDir folder("/var/tmp");
        const SpillFolder spills({folder.path(), uint64_t(9 * kMebibyte), false});
        for (int i = 0; i < 4; ++i) {
            const fs::path path =
                folder.write(std::to_string(i) + ".lockstep", std::string(3 * kMebibyte, 'x'));
            fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(10 - i));
        }
        folder.write("another program's", "stays");
        spills.prune(spills.max_bytes(), folder.path() / "0.lockstep");
        QVERIFY(fs::exists(folder.path() / "0.lockstep")); // spared
        QVERIFY(!fs::exists(folder.path() / "1.lockstep"));
        QVERIFY(fs::exists(folder.path() / "3.lockstep") && fs::exists(folder.path() / "another program's"));
    }
};

LOCKSTEP_TEST(SpillFileTest, "spill_file_test")
#include "spill_file_test.moc"
