// SPDX-License-Identifier: Apache-2.0
// Tests every way in which a program can end: it ends as without the library, without delay, and its reports
// contain what it recorded. Prints a table of all ways.
#include <csignal>

#include <QElapsedTimer>

#include "tests/capture/captured_run.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

struct Ended {
    CapturedRun run;
    int signal = 0;
    qint64 took_ms = 0;

    // Returns the number of ranges in all reports whose name begins with the prefix.
    uint64_t ranges(const std::string& who) const
    {
        uint64_t count = 0;
        for (const auto& report : run.reports) {
            for (const std::string& line : rangeLines(*report)) {
                if (line.substr(line.rfind('\t') + 1).starts_with(who)) ++count;
            }
        }
        return count;
    }
    uint64_t all() const
    {
        uint64_t count = 0;
        for (const auto& report : run.reports)
            count += countOf(*report, "nvtx_pushpop") + countOf(*report, "nvtx_startend");
        return count;
    }
    uint64_t lost() const
    {
        uint64_t count = 0;
        for (const auto& report : run.reports) {
            for (const ImportNote& note : report->notes.all()) {
                if (note.kind.starts_with("capture.")) count += note.count;
            }
        }
        return count;
    }
    size_t cutShort() const
    {
        return static_cast<size_t>(std::ranges::count_if(
            run.reports, [](const auto& report) { return noted(*report, "spool.not_ended") > 0; }));
    }
};

// Waits until all processes that hold its standard output have ended, including daemons.
Ended endedBy(const QString& way, const std::filesystem::path& folder, const Settings& settings = {})
{
    Ended ended;
    QProcess process;
    process.setProcessEnvironment(captureEnvironment(folder, settings));
    QElapsedTimer clock;
    clock.start();
    if (way.startsWith("daemon"))
        process.start("/bin/sh", {"-c", "\"$0\" \"$1\" | cat", builtProgram("capture-ends"), way});
    else
        process.start(builtProgram("capture-ends"), {way});
    const bool hasEnded = process.waitForFinished(kPatience_ms);
    ended.took_ms = clock.elapsed();
    if (!hasEnded) process.kill();
    if (!hasEnded) process.waitForFinished(kPatience_ms);
    if (hasEnded && process.exitStatus() == QProcess::NormalExit)
        ended.run.status = process.exitCode();
    else if (hasEnded)
        ended.signal = process.exitCode();
    ended.run.errors = process.readAllStandardError();
    readReports(ended.run, folder);
    return ended;
}

struct Way {
    const char* name;
    size_t reports = 1;
    size_t cutShort = 0;   // the reports that are marked as not ended in order
    const char* also = ""; // name of the other ranges
    uint64_t alsoCount = 0;
    int signal = 0;
};

const Way kWays[] = {
    {"return"},
    {"exit"},
    {"atexit", 1, 0, "handler", 10},
    {"_exit"},
    {"_Exit"},
    {"quick_exit", 1, 0, "handler", 10},
    {"exit in a thread"},
    {"pthread_exit", 1, 0, "handler", 10},
    {"pthread_exit before a thread", 1, 0, "thread", 10},
    {"endless threads"},
    {"threads that die in a range", 1, 0, "thread", 25},
    {"1000 threads", 1, 0, "thread", 1000},
    {"start and end", 1, 0, "started", 1000},
    {"unbalanced", 1, 0, "never popped", 100},
    {"late _exit"},
    {"late exec", 1, 1},
    {"late dlsym"},
    {"execl", 1, 1},
    {"execle", 1, 1},
    {"execlp", 1, 1},
    {"execv", 1, 1},
    {"execve", 1, 1},
    {"execvp", 1, 1},
    {"execvpe", 1, 1},
    {"fexecve", 1, 1},
    {"execveat", 1, 1},
    {"exec of itself", 2, 1, "child", 1000},
    {"exec that fails", 1, 0, "after", 10},
    {"fork", 2, 0, "forked", 1000},
    {"fork and _exit", 2, 0, "forked", 1000},
    {"fork and quick_exit", 2, 0, "forked", 1000},
    {"fork and exec", 2, 0, "child", 1000},
    {"fork and pthread_exit", 2, 0, "forked", 1000},
    {"fork while the loader is held", 2, 0, "forked", 1000},
    {"vfork and exec", 2, 0, "child", 1000},
    {"vfork and _exit", 1, 0, "after", 10},
    {"vfork and exec that fails", 1, 0, "after", 10},
    {"posix_spawn", 2, 0, "child", 1000},
    {"daemon by hand", 2, 0, "forked", 1000},
    {"daemon()", 2, 1, "forked", 1000},
    {"abort", 1, 1, "", 0, SIGABRT},
    {"failed assertion", 1, 1, "", 0, SIGABRT},
    {"std::terminate", 1, 1, "", 0, SIGABRT},
    {"SIGTERM", 1, 1, "", 0, SIGTERM},
    {"SIGINT", 1, 1, "", 0, SIGINT},
    {"SIGKILL", 1, 1, "", 0, SIGKILL},
    {"raise", 1, 1, "", 0, SIGUSR1},
    {"SIGSEGV", 1, 1, "", 0, SIGSEGV},
    {"exit_group by syscall", 1, 1},
};

} // namespace

class CapturedEndsTest : public QObject {
    Q_OBJECT

  private slots:
    void everyWayToEnd_data()
    {
        QTest::addColumn<int>("way");
        for (int i = 0; i < static_cast<int>(std::size(kWays)); ++i)
            QTest::newRow(kWays[i].name) << i;
    }

    void everyWayToEnd()
    {
        QFETCH(int, way);
        const Way& expected = kWays[way];
        const TempDir folder;
        const Ended ended = endedBy(expected.name, folder.path());
        const uint64_t ofMain = ended.ranges("main"), also = *expected.also ? ended.ranges(expected.also) : 0;
        addRow(expected.name, ended);
        // The library delays exec by 0.5 s at most, so that a stalled disk does not block a job. What is not
        // written by then is lost.
        constexpr qint64 kLongestDelay_ms = 500;
        const bool isExec = std::string_view(expected.name).starts_with("exec");
        if (isExec && ended.took_ms >= kLongestDelay_ms && (!ended.run.problem.empty() || ofMain != 1000)) {
            qInfo("%s: took %lld ms, so its end may be lost", expected.name, qlonglong(ended.took_ms));
            return;
        }
        QVERIFY2(ended.run.problem.empty(), ended.run.problem.c_str());
        QCOMPARE(ended.run.errors, QByteArray());
        QVERIFY2(ended.run.log.empty(), ended.run.log.c_str());
        QCOMPARE(ended.signal, expected.signal);
        QCOMPARE(ended.run.status, expected.signal == 0 ? 0 : -1);
        QCOMPARE(ended.run.reports.size(), expected.reports);
        QCOMPARE(ofMain, 1000u);
        QCOMPARE(also, expected.alsoCount);
        QCOMPARE(ended.lost(), 0u);
        QCOMPARE(ended.cutShort(), expected.cutShort);
        QVERIFY2(ended.took_ms < 60'000, qPrintable(QString::number(ended.took_ms)));
    }

    // Each child has its own report or is counted.
    void manyShortReportsDelayTheEndLittle()
    {
        const TempDir folder;
        const Ended ended =
            endedBy("2000 capture ranges", folder.path(), {{"LOCKSTEP_CAPTURE_RANGE", "nvtx:capture me"}});
        QCOMPARE(ended.run.status, 0);
        addRow("2000 capture ranges", ended);
        QVERIFY(ended.run.reports.size() == 2000u || !ended.run.log.empty());
        QVERIFY2(ended.took_ms < 60'000, qPrintable(QString::number(ended.took_ms)));
    }

    void cleanupTestCase()
    {
        qInfo().noquote()
            << "\nway                            exit       reports not ended   ranges  lost     ms\n"
            << m_table;
    }

  private:
    void addRow(const char* way, const Ended& ended)
    {
        const QString exit =
            ended.signal != 0 ? QString("signal %1").arg(ended.signal) : QString::number(ended.run.status);
        m_table += QString("%1 %2 %3 %4 %5 %6 %7\n")
                       .arg(way, -30)
                       .arg(exit, -10)
                       .arg(ended.run.reports.size(), 7)
                       .arg(ended.cutShort(), 9)
                       .arg(ended.all(), 8)
                       .arg(ended.lost(), 5)
                       .arg(ended.took_ms, 6);
    }

    QString m_table;
};

LOCKSTEP_TEST(CapturedEndsTest, "captured_ends_test")
#include "captured_ends_test.moc"
