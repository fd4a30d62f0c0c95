// SPDX-License-Identifier: Apache-2.0
// Tests failures: the program is killed, the disk is full, the folder is not writable, the file is damaged.
// The program continues, everything written can be read, and losses are reported.
#include <csignal>

#include <QElapsedTimer>

#include "capture/format/spool_format.h"
#include "core/readers/capture_spool/capture_spool_reader.h"
#include "tests/capture/captured_run.h"
#include "tests/support/small_disk.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

// LOCKSTEP_KILLS=200 runs the full test.
int killCount()
{
    return qEnvironmentVariableIsSet("LOCKSTEP_KILLS") ? qEnvironmentVariableIntValue("LOCKSTEP_KILLS") : 8;
}

int64_t monotonicRaw_ns()
{
    timespec time;
    clock_gettime(CLOCK_MONOTONIC_RAW, &time);
    return int64_t(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

// Runs a program in a shell with a limit on file sizes, which acts like a disk that is full at 64 KiB.
CapturedRun runLimited(const std::filesystem::path& folder)
{
    return runCaptured(
        "/bin/sh",
        {"-c", "ulimit -f 64; exec \"$0\" threads \"$1\"", builtProgram("capture-ranges"), "/dev/null"},
        folder, {{"LOCKSTEP_CAPTURE_BLOCK_BYTES", "4096"}});
}

Result<std::unique_ptr<Report>> read(const std::string& bytes)
{
    Provenance provenance;
    provenance.path = "damaged.lsc";
    return readCaptureSpool(bytes, provenance, Progress());
}

std::string someSpool()
{
    const TempDir folder;
    const CapturedRun run =
        runCaptured(builtProgram("capture-ranges"), {"plain", QString::fromStdString(folder.path() / "log")},
                    folder.path() / "out", {{"LOCKSTEP_CAPTURE_BLOCK_BYTES", "4096"}});
    return run.names.empty() ? std::string() : contentOf(folder.path() / "out" / run.names[0]);
}

bool hasBegun(const std::filesystem::path& folder)
{
    std::error_code none;
    for (const auto& file : std::filesystem::directory_iterator(folder, none)) {
        if (file.file_size(none) > 0 && !none) return true;
    }
    return false;
}

} // namespace

class CapturedDamageTest : public QObject {
    Q_OBJECT

  private slots:
    void killedProgramLosesOnlyTheLastMoment()
    {
        int64_t worst_ns = 0;
        for (int i = 0; i < killCount(); ++i) {
            const TempDir folder;
            QProcess process;
            process.setProcessEnvironment(captureEnvironment(folder.path() / "out", {}));
            process.start(builtProgram("capture-ranges"), {"killed", "/dev/null"});
            QVERIFY(process.waitForReadyRead(kPatience_ms));
            // A thread of the library writes the header, which takes longer on a busy machine.
            QVERIFY(QTest::qWaitFor([&] { return hasBegun(folder.path() / "out"); }, kPatience_ms));
            QElapsedTimer life;
            life.start();
            const int moment_ms = 50 + (i * 7919) % 500;
            while (life.elapsed() < moment_ms)
                process.waitForReadyRead(moment_ms - static_cast<int>(life.elapsed()));
            const int64_t killed_ns = monotonicRaw_ns();
            ::kill(static_cast<pid_t>(process.processId()), SIGKILL);
            QVERIFY(process.waitForFinished(kPatience_ms));
            CapturedRun run;
            readReports(run, folder.path() / "out");
            QVERIFY2(run.problem.empty(), run.problem.c_str());
            QCOMPARE(run.reports.size(), 1u);
            const Report& report = *run.reports[0];
            QCOMPARE(noted(report, "spool.not_ended"), 1u);
            QCOMPARE(noted(report, "spool.damaged") + noted(report, "spool.missing_blocks"), 0u);
            if (moment_ms > 400) QVERIFY(countOf(report, "nvtx_pushpop") > 0);
            worst_ns = std::max(worst_ns, killed_ns - report.session.end.ns);
        }
        qInfo("%d kills: at most the last %lld ms are missing", killCount(),
              static_cast<long long>(worst_ns / 1'000'000));
        QVERIFY(worst_ns < 2'000'000'000); // 250 ms on an idle machine; tests run on busy ones
    }

    void fullDiskIsReportedAndTheProgramContinues()
    {
        const TempDir folder;
        const CapturedRun run = runLimited(folder.path());
        QCOMPARE(run.status, 0);
        QCOMPARE(run.errors, QByteArray());
        QVERIFY2(run.log.find("\"event\":\"not_written\"") != std::string::npos, run.log.c_str());
        QVERIFY(run.problem.empty());
        QCOMPARE(run.reports.size(), 1u);
        QVERIFY(countOf(*run.reports[0], "nvtx_pushpop") > 100);
        QVERIFY(noted(*run.reports[0], "capture.not_written") > 0);
        QCOMPARE(noted(*run.reports[0], "spool.not_ended"), 0u); // the note did fit
    }

    void diskThatFillsUpIsReported()
    {
        const TempDir folder;
        const SmallDisk disk(folder.path() / "disk", "48k");
        if (!disk.isMounted) return; // where mounting is not allowed, the limit above covers the same
        const std::filesystem::path log = folder.path() / "capture.log";
        const CapturedRun run =
            runCaptured(builtProgram("capture-ranges"), {"threads", "/dev/null"}, folder.path() / "disk",
                        {{"LOCKSTEP_CAPTURE_BLOCK_BYTES", "4096"},
                         {"LOCKSTEP_CAPTURE_LOG", QString::fromStdString(log)}});
        QCOMPARE(run.status, 0);
        QVERIFY(contentOf(log).find("No space left on device") != std::string::npos);
        QVERIFY(contentOf(log).find("\"event\":\"lost\"") != std::string::npos);
        QCOMPARE(run.reports.size(), 1u);
    }

    void unusableFolderIsReported()
    {
        const TempDir folder;
        const auto file = folder.write("file", "no folder");
        const std::filesystem::path log = folder.path() / "capture.log";
        const CapturedRun run =
            runCaptured(builtProgram("capture-ranges"), {"plain", "/dev/null"}, file / "out",
                        {{"LOCKSTEP_CAPTURE_LOG", QString::fromStdString(log)}});
        QCOMPARE(run.status, 0);
        QVERIFY(contentOf(log).find("Not a directory") != std::string::npos);
    }

    void lostRecordsAreCounted()
    {
        const TempDir folder;
        const CapturedRun run = runCaptured(builtProgram("capture-push_pop_bench"), {"400000", "4"},
                                            folder.path(), {{"LOCKSTEP_CAPTURE_MEMORY", "1048576"}});
        QCOMPARE(run.status, 0);
        const Report& report = *run.reports.at(0);
        const uint64_t lost = noted(report, "capture.ring_full");
        QVERIFY(lost > 0);
        const uint64_t open = noted(report, "spool.pop_without_push");
        const uint64_t whole = countOf(report, "nvtx_pushpop");
        // Every push is a row or lost; every pop ends a row, has no partner, or is lost.
        QVERIFY(whole + open + lost >= 4 * 400'001u);
        QVERIFY(run.log.find("\"event\":\"lost\"") != std::string::npos);
    }

    void blockingLosesNothing()
    {
        const TempDir folder;
        const CapturedRun run =
            runCaptured(builtProgram("capture-push_pop_bench"), {"100000", "2"}, folder.path(),
                        {{"LOCKSTEP_CAPTURE_MEMORY", "1048576"},
                         {"LOCKSTEP_CAPTURE_WHEN_FULL", "block"},
                         {"LOCKSTEP_CAPTURE_LONGEST_BLOCK_MS", "10000"}});
        QCOMPARE(run.status, 0);
        QCOMPARE(countOf(*run.reports.at(0), "nvtx_pushpop"), 200'002u);
        QVERIFY2(run.log.empty(), run.log.c_str());
    }

    void truncatedFileKeepsTheDataBefore()
    {
        const std::string whole = someSpool();
        QVERIFY(whole.size() > 1000);
        const auto complete = read(whole);
        QVERIFY(complete.has_value());
        QVERIFY(!(*complete)->notes.hasDataLoss());
        uint64_t last = 0;
        for (size_t size = 0; size < whole.size(); ++size) {
            const auto report = read(whole.substr(0, size));
            if (size < sizeof(LockstepSpoolHeader)) {
                QVERIFY(!report && report.error().kind == ErrorKind::corrupt);
                continue;
            }
            QVERIFY(report.has_value());
            QVERIFY((*report)->notes.hasDataLoss());
            const uint64_t rows = countOf(**report, "nvtx_pushpop");
            QVERIFY(rows >= last && rows <= countOf(**complete, "nvtx_pushpop"));
            last = rows;
        }
    }

    void flippedBitLosesOneBlock()
    {
        const std::string whole = someSpool();
        for (size_t at = 0; at < whole.size(); at += 7) {
            std::string bytes = whole;
            bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
            const auto report = read(bytes);
            if (at < sizeof(LockstepSpoolHeader)) {
                QVERIFY(!report);
                continue;
            }
            QVERIFY(report.has_value());
            const bool isInEnd = at >= whole.size() - sizeof(LockstepSpoolEnd);
            QVERIFY2((*report)->notes.hasDataLoss() || isInEnd,
                     QByteArray::number(qulonglong(at)).constData());
        }
    }

    void laterVersionIsRefused()
    {
        std::string bytes = someSpool();
        bytes[8] = 9;
        const auto report = read(bytes);
        QVERIFY(!report && report.error().kind == ErrorKind::unsupported);
    }
};

LOCKSTEP_TEST(CapturedDamageTest, "captured_damage_test")
#include "captured_damage_test.moc"
