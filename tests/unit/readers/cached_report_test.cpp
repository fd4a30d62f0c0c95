// SPDX-License-Identifier: Apache-2.0
// Tests reports that are read onto disk: they equal those in memory, and are cached for the next opening as
// long as the file is unchanged, with concurrent users, and with damage to the cached data.
#include "core/readers/cached_report.h"

#include <atomic>
#include <csignal>
#include <fstream>

#include <sys/wait.h>

#include "core/analysis/analysis.h"
#include "core/base/sha256.h"
#include "core/lanes/report_lod.h"
#include "core/readers/workspace_file/workspace_file.h"
#include "tests/support/disk_place.h"
#include "tests/support/small_disk.h"
#include "tests/support/test_registry.h"
#include "tests/support/workers.h"

using namespace lockstep;
using lockstep::test::DiskPlace;
using lockstep::test::SmallDisk;
using lockstep::test::TempDir;
namespace fs = std::filesystem;

namespace {

// Calls and the kernels that they launch, copies and marks; so many of each that the rows of a track fill
// more than one large chunk. The calls are in random order.
std::string launches(int count, const std::string& kernel = "gemm")
{
    std::string text = "{\"schemaVersion\": 1, \"traceEvents\": [\n";
    const auto add = [&](const char* category, const std::string& name, int tid, int64_t at,
                         const std::string& args) {
        text += std::string("{\"ph\": \"X\", \"cat\": \"") + category + "\", \"name\": \"" + name +
                "\", \"pid\": 0, \"tid\": " + std::to_string(tid) + ", \"ts\": " + std::to_string(at) +
                ", \"dur\": 2, \"args\": {" + args + "}},\n";
    };
    for (int i = 0; i < count; ++i) {
        const int64_t n = int64_t(i) * 7919 % count;
        const std::string correlation = "\"correlation\": " + std::to_string(n + 1);
        add("cuda_runtime", "cudaLaunchKernel", 5, 10 * n, correlation);
        add(n % 9 == 0 ? "gpu_memcpy" : "kernel", n % 9 == 0 ? "Memcpy HtoD" : kernel, 7, 10 * n + 5,
            "\"device\": 0, \"stream\": 7, \"bytes\": 64, " + correlation);
    }
    return text +
           "{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": 0, \"args\": {\"name\": \"python\"}}]}\n";
}

std::string storedBytes(const Workspace& workspace, const fs::path& folder)
{
    const fs::path path = folder / "stored.lockstep";
    if (!saveWorkspaceFile(path, workspace, {}, Progress(test::workers()))) return {};
    return sha256OfFile(path, Progress()).value();
}

// Returns the digest of the report as it is stored, or the problem.
std::string read(const fs::path& path, const TempDir& folder, ColumnPlace place = {})
{
    const auto reports = readReports(path, Progress({}, {}, test::workers(), std::move(place)));
    return reports ? storedBytes(*reports, folder.path()) : reports.error().message;
}

fs::path keptFile(const DiskPlace& disk)
{
    return fs::directory_iterator(disk.folder())->path();
}

} // namespace

class CachedReportTest : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase()
    {
        m_path = m_folder.write("trace.json", launches(120'000));
        m_onHeap = read(m_path, m_folder);
    }

    void equalOnDisk()
    {
        const DiskPlace disk;
        QCOMPARE(read(m_path, m_folder, disk.place().value()), m_onHeap);
        const auto place = disk.place().value();
        const auto kept = readReports(m_path, Progress({}, {}, test::workers(), place)).value();
        const Report& report = kept.report(kept.keys().front());
        QCOMPARE(report.slices.start_ns.residentBytes(), size_t(0));
        QCOMPARE(report.links.size(), size_t(120'000));
        QCOMPARE(report.provenance.path, m_path);
        QCOMPARE(report.provenance.tool, std::string("PyTorch"));
        QCOMPARE(place.temporary()->size_bytes(), uint64_t(0)); // nothing was read again
        QCOMPARE(fs::status(disk.folder()).permissions(), fs::perms(0700));
        QCOMPARE(fs::status(keptFile(disk)).permissions(), fs::perms(0600));
    }

    void changedFileIsReadAgain_data()
    {
        QTest::addColumn<bool>("comparesContent");
        QTest::newRow("size, time and inode") << false;
        QTest::newRow("content") << true;
    }
    void changedFileIsReadAgain()
    {
        QFETCH(bool, comparesContent);
        const TempDir folder;
        const DiskPlace disk(comparesContent);
        const fs::path path = folder.write("trace.json", launches(1000, "gemm"));
        const auto stamp = fs::last_write_time(path);
        const std::string before = read(path, folder, disk.place().value());
        folder.write("trace.json", launches(1000, "meow")); // of equal size, in place
        fs::last_write_time(path, stamp);
        const std::string after = read(path, folder, disk.place().value());
        QVERIFY(after != before);
        QCOMPARE(after, read(path, folder));
        QCOMPARE(disk.keptFiles(), size_t(1)); // nothing remains of the older state
        if (!comparesContent) return;
        fs::last_write_time(path, stamp + std::chrono::hours(1)); // the same content at another time
        const auto place = disk.place().value();
        QCOMPARE(read(path, folder, place), after);
        QCOMPARE(place.temporary()->size_bytes(), uint64_t(0));
    }

    // The read data belongs to neither state then.
    void fileThatChangesWhileReadIsNotCached()
    {
        const TempDir folder;
        const DiskPlace disk;
        const fs::path path = folder.write("trace.json", launches(50'000));
        std::atomic<bool> hasGrown = false;
        const auto grow = [&](uint64_t, uint64_t) {
            if (!hasGrown.exchange(true)) std::ofstream(path, std::ios::app) << "\n";
        };
        QVERIFY(readReports(path, Progress({}, grow, test::workers(), disk.place().value())));
        QVERIFY(hasGrown);
        QCOMPARE(disk.keptFiles(), size_t(0));
        QVERIFY(readReports(path, Progress({}, {}, test::workers(), disk.place().value())));
        QCOMPARE(disk.keptFiles(), size_t(1));
    }

    void damagedCacheIsReadAgain()
    {
        const DiskPlace disk;
        QCOMPARE(read(m_path, m_folder, disk.place().value()), m_onHeap);
        const auto size = fs::file_size(keptFile(disk));
        for (const uint64_t at : {uint64_t(10), size / 3, size / 2, size - 100}) {
            std::fstream file(keptFile(disk), std::ios::in | std::ios::out | std::ios::binary);
            file.seekp(static_cast<std::streamoff>(at));
            file.put('\x5a');
            file.close();
            QCOMPARE(read(m_path, m_folder, disk.place().value()), m_onHeap);
            QCOMPARE(disk.keptFiles(), size_t(1));
        }
        fs::resize_file(keptFile(disk), size / 2);
        QCOMPARE(read(m_path, m_folder, disk.place().value()), m_onHeap);
        std::ofstream(keptFile(disk), std::ios::trunc).close();
        QCOMPARE(read(m_path, m_folder, disk.place().value()), m_onHeap);
    }

    void aFullDiskIsAnError()
    {
        const SmallDisk small(m_folder.path() / "disk", "6M");
        if (!small.isMounted) QSKIP("this user may not mount a small disk");
        const auto kept = SpillFile::create(m_folder.path() / "disk", nullptr).value();
        const auto temporary = SpillFile::create(m_folder.path() / "disk", nullptr).value();
        const std::string outcome = read(m_path, m_folder, ColumnPlace(kept, temporary));
        QVERIFY2(outcome.find("No space left on device") != outcome.npos, outcome.c_str());
        // The same if there is no room only for the cached copy.
        const auto roomy = SpillFile::create("/var/tmp", nullptr).value();
        const std::string other = read(m_path, m_folder, ColumnPlace(kept, roomy));
        QVERIFY2(other.find("No space left on device") != other.npos, other.c_str());
        // Compressed columns that are decompressed onto the disk.
        const auto heap = readReports(m_path, Progress(test::workers())).value();
        const fs::path packed = m_folder.path() / "packed.lockstep";
        QVERIFY(saveWorkspaceFile(packed, heap, {}, Progress(test::workers())));
        const auto full = SpillFile::create(m_folder.path() / "disk", nullptr).value();
        const std::string unpacked = read(packed, m_folder, ColumnPlace(full, roomy));
        QVERIFY2(unpacked.find("No space left on device") != unpacked.npos, unpacked.c_str());
    }

    // Data derived from a report must not fail to allocate: it is on the heap, and the opening reports so.
    void laterDiskFullIsReported()
    {
        const SmallDisk small(m_folder.path() / "later", "96M");
        if (!small.isMounted) QSKIP("this user may not mount a small disk");
        const auto kept = SpillFile::create("/var/tmp", nullptr).value();
        const auto temporary = SpillFile::create(m_folder.path() / "later", nullptr).value();
        const ColumnPlace place(kept, temporary);
        const auto report = readReport(m_path, Progress({}, {}, test::workers(), place)).value();
        std::ofstream(m_folder.path() / "later" / "another's") << std::string(size_t(96) << 20, 'x');
        const auto lod = buildLod(*report, test::workers());
        const auto onHeap = buildLod(*readReport(m_path, Progress(test::workers())).value(), test::workers());
        QCOMPARE(lod->residentBytes(), onHeap->residentBytes());
        QVERIFY(!place.status() && !Progress({}, {}, {}, place).check());
        // The same for a table that needs room for as many values as there are slices.
        Workspace workspace;
        workspace.add(report);
        const Progress progress(test::workers());
        const auto table = runAnalysis(
            "cuda_gpu_kern_sum", *makeHeadlessScene(workspace, alignReports(workspace, {}, progress).value()),
            {}, progress);
        QVERIFY(!table && table.error().kind == ErrorKind::io);
    }

    void killedReaderLeavesNoFiles()
    {
        const DiskPlace disk;
        for (int kill = 0; kill < 12; ++kill) {
            const pid_t child = ::fork();
            if (child == 0) {
                read(m_path, m_folder, disk.place().value());
                ::_exit(0);
            }
            ::usleep(
                static_cast<useconds_t>(40'000 * kill)); // some while reading, some while caching, some after
            ::kill(child, SIGKILL);
            ::waitpid(child, nullptr, 0);
            QVERIFY(disk.keptFiles() <= 1);
        }
        QCOMPARE(read(m_path, m_folder, disk.place().value()), m_onHeap);
        QCOMPARE(disk.keptFiles(), size_t(1));
    }

    void programsShareTheFolder()
    {
        const DiskPlace disk;
        std::vector<pid_t> children;
        for (int program = 0; program < 4; ++program) {
            children.push_back(::fork());
            if (children.back() != 0) continue;
            bool isEqual = true;
            {
                const TempDir own;
                for (int round = 0; round < 3; ++round) {
                    isEqual &= read(m_path, own, disk.place().value()) == m_onHeap;
                    if (program == 0) disk.spills()->prune(0); // while others use it
                }
            }
            ::_exit(isEqual ? 0 : 1);
        }
        for (const pid_t child : children) {
            int status = 0;
            ::waitpid(child, &status, 0);
            QCOMPARE(status, 0);
        }
        QVERIFY(disk.keptFiles() <= 1);
    }

    void canceledReadIsNotCached()
    {
        const DiskPlace disk;
        std::stop_source stop;
        const auto stopLate = [&](uint64_t done, uint64_t total) {
            if (done * 2 > total) stop.request_stop();
        };
        const auto reports =
            readReports(m_path, Progress(stop.get_token(), stopLate, test::workers(), disk.place().value()));
        QVERIFY(!reports && reports.error().kind == ErrorKind::canceled);
        QCOMPARE(disk.keptFiles(), size_t(0));
    }

  private:
    const TempDir m_folder;
    fs::path m_path;
    std::string m_onHeap;
};

LOCKSTEP_TEST(CachedReportTest, "cached_report_test")
#include "cached_report_test.moc"
