// SPDX-License-Identifier: Apache-2.0
// Tests that output files appear completely or not at all.
#include "core/base/output_file.h"

#include <chrono>
#include <fstream>
#include <iterator>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using lockstep::test::contentOf;
using lockstep::test::filesIn;

namespace {

} // namespace

class OutputFileTest : public QObject {
    Q_OBJECT

  private slots:
    void appearsOnCommit()
    {
        const test::TempDir folder;
        const auto path = folder.write("out.csv", "old");
        auto file = OutputFile::create(path);
        QVERIFY(file.has_value());
        const std::string large(1'000'000, 'x');
        file->write("new");
        file->write(large);
        QCOMPARE(contentOf(path), std::string("old"));
        QVERIFY(file->commit());
        QCOMPARE(contentOf(path), "new" + large);
        QCOMPARE(filesIn(folder.path()), size_t(1));
    }

    void leavesNothingWithoutCommit()
    {
        const test::TempDir folder;
        {
            auto file = OutputFile::create(folder.path() / "out.csv");
            file->write("part");
            QVERIFY(!std::filesystem::exists(folder.path() / "out.csv"));
        }
        QCOMPARE(filesIn(folder.path()), size_t(0));
    }

    void failuresNameTheFile()
    {
        const test::TempDir folder;
        const auto absent = OutputFile::create(folder.path() / "absent" / "out.csv");
        QVERIFY(!absent);
        QCOMPARE(absent.error().kind, ErrorKind::io);
        QVERIFY(absent.error().message.starts_with((folder.path() / "absent" / "out.csv").string() +
                                                   ": cannot write: "));
        // Anything but a regular file is never replaced by one.
        std::filesystem::create_directory(folder.path() / "taken");
        QVERIFY(!OutputFile::create(folder.path() / "taken"));
        QCOMPARE(::mkfifo((folder.path() / "pipe").c_str(), 0600), 0);
        QVERIFY(!OutputFile::create(folder.path() / "pipe"));
        QVERIFY(std::filesystem::is_fifo(folder.path() / "pipe"));
    }

    void modesAndLinksStay()
    {
        const test::TempDir folder;
        const auto path = folder.write("real.csv", "old");
        std::filesystem::permissions(path, std::filesystem::perms(0640));
        std::filesystem::create_symlink("real.csv", folder.path() / "link.csv");
        auto file = OutputFile::create(folder.path() / "link.csv", 0600);
        file->write("new");
        QVERIFY(file->commit());
        QVERIFY(std::filesystem::is_symlink(folder.path() / "link.csv"));
        QCOMPARE(contentOf(path), std::string("new"));
        QCOMPARE(std::filesystem::status(path).permissions(), std::filesystem::perms(0640));
        QVERIFY(OutputFile::create(folder.path() / "fresh", 0600)->commit());
        QCOMPARE(std::filesystem::status(folder.path() / "fresh").permissions(),
                 std::filesystem::perms(0600));
        QCOMPARE(filesIn(folder.path()), size_t(3));
    }

    void leftoversOfKilledProgramsAreRemoved()
    {
        const test::TempDir folder;
        const auto old = std::filesystem::file_time_type::clock::now() - std::chrono::hours(1);
        const auto add = [&](const char* name) {
            const auto path = folder.write(name, "part");
            std::filesystem::last_write_time(path, old);
            return path;
        };
        const auto left = add(".out.csv.123-0.part");
        const auto written = add(".out.csv.124-0.part");
        const int writer = ::open(written.c_str(), O_RDONLY | O_CLOEXEC);
        QCOMPARE(::flock(writer, LOCK_EX), 0);
        const auto others = {add(".out.csv.mine.part"), add(".other.csv.123-0.part"),
                             add("out.csv.123-0.part")};
        const auto young = folder.write(".out.csv.125-0.part", "part");
        QVERIFY(OutputFile::create(folder.path() / "out.csv")->commit());
        QVERIFY(!std::filesystem::exists(left));
        QVERIFY(std::filesystem::exists(written) && std::filesystem::exists(young));
        for (const auto& other : others)
            QVERIFY(std::filesystem::exists(other));
        ::close(writer);
    }
};

LOCKSTEP_TEST(OutputFileTest, "output_file_test")
#include "output_file_test.moc"
