// SPDX-License-Identifier: Apache-2.0
// Tests which processes are recorded and where to, and that a process without a report logs the reason.
#include "tests/capture/captured_run.h"
#include "tests/capture/stepped_program.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

using Words = QStringList; // NAME=VALUE

Settings settingsOf(const Words& words)
{
    Settings settings;
    for (const QString& word : words)
        settings.emplace_back(word.section('=', 0, 0), word.section('=', 1));
    return settings;
}

// Runs six steps with recording.
CapturedRun stepsWith(const Words& words, const std::filesystem::path& output)
{
    return runCaptured(builtProgram("capture-ranges"), {"steps", "/dev/null"}, output, settingsOf(words));
}

} // namespace

class CapturedSettingsTest : public QObject {
    Q_OBJECT

  private slots:
    void processWithoutAReportLogsTheReason_data()
    {
        QTest::addColumn<Words>("settings");
        QTest::addColumn<QString>("event");
        QTest::addColumn<QString>("reason");
        const auto row = [](const char* name, Words settings, const char* event, const char* reason) {
            QTest::newRow(name) << settings << event << reason;
        };
        row("rank not listed", {"RANK=1", "LOCKSTEP_RANKS=0,2"}, "not_chosen", "rank 1 is not one of");
        row("rank unknown", {"LOCKSTEP_RANKS=1"}, "rank_unknown", "the rank of this process is unknown");
        row("only rank 0", {"RANK=1", "LOCKSTEP_ALL_RANKS=0"}, "not_chosen", "rank 1 is not one of");
        row("step never reached", {"LOCKSTEP_STEPS=99"}, "no_report",
            "none of 6 steps was step 99; the last was step 6");
        row("range never began", {"LOCKSTEP_CAPTURE_RANGE=nvtx:none@D"}, "no_report",
            "the capture range nvtx:none@D never began");
        row("range beyond the last", {"LOCKSTEP_CAPTURE_RANGE=nvtx:between", "LOCKSTEP_STEPS=7"}, "no_report",
            "none of 6 capture ranges was step 7");
        row("profiler never started", {"LOCKSTEP_CAPTURE_RANGE=cudaProfilerApi"}, "no_report",
            "cudaProfilerStart was not called");
        row("no stage", {"LOCKSTEP_DISCRETE=1"}, "no_report", "no stage began");
    }

    void processWithoutAReportLogsTheReason()
    {
        QFETCH(Words, settings);
        QFETCH(QString, event);
        QFETCH(QString, reason);
        const TempDir folder;
        const CapturedRun run = stepsWith(settings, folder.path() / "not" / "there yet");
        QCOMPARE(run.status, 0);
        QVERIFY(run.reports.empty());
        QCOMPARE(run.errors, QByteArray());
        QCOMPARE(linesOf(run.log).size(), size_t(1));
        QVERIFY2(run.log.find("\"event\":\"" + event.toStdString() + "\"") != std::string::npos,
                 run.log.c_str());
        QVERIFY2(run.log.find(reason.toStdString()) != std::string::npos, run.log.c_str());
    }

    void unusableOutputIsPrinted()
    {
        const TempDir folder;
        const auto file = folder.write("file", "no folder");
        const CapturedRun run = stepsWith({"LOCKSTEP_STEPS=1-6"}, file / "out");
        QCOMPARE(run.status, 0);
        QCOMPARE(run.errors.count('\n'), 1); // once, not for each step
        QVERIFY2(run.errors.startsWith("lockstep capture (process "), run.errors);
        QVERIFY2(run.errors.contains("Not a directory"), run.errors);
    }

    void disabledCapturePrintsNothing()
    {
        const TempDir folder;
        const CapturedRun run = stepsWith({"LOCKSTEP_ENABLE=0"}, folder.path() / "out");
        QCOMPARE(run.status, 0);
        QVERIFY(run.errors.isEmpty() && !std::filesystem::exists(folder.path() / "out"));
    }

    void ranks_data()
    {
        QTest::addColumn<Words>("settings");
        QTest::addColumn<int>("rank");        // -1: none
        QTest::addColumn<QString>("problem"); // in the log
        const auto row = [](const char* name, Words settings, int rank, const char* problem = "") {
            QTest::newRow(name) << settings << rank << problem;
        };
        row("no rank", {}, -1);
        row("torchrun", {"RANK=3"}, 3);
        row("all", {"RANK=3", "LOCKSTEP_RANKS=all"}, 3);
        row("listed", {"RANK=3", "LOCKSTEP_RANKS=1-3"}, 3);
        row("LOCKSTEP_RANK", {"RANK=3", "LOCKSTEP_RANK=4"}, 4);
        row("Slurm", {"SLURM_PROCID=5"}, 5);
        row("Open MPI", {"OMPI_COMM_WORLD_RANK=6", "SLURM_PROCID=0"}, 6);
        row("MVAPICH", {"MV2_COMM_WORLD_RANK=7", "SLURM_PROCID=0"}, 7);
        row("PMIx", {"PMIX_RANK=8", "SLURM_PROCID=0"}, 8);
        row("PMI", {"PMI_RANK=9", "SLURM_PROCID=0"}, 9);
        row("not a number", {"RANK=abc"}, -1, "RANK=abc is not used");
        row("not a number, then a number", {"RANK=abc", "SLURM_PROCID=5"}, 5, "RANK=abc is not used");
        row("negative", {"LOCKSTEP_RANK=-1"}, -1, "LOCKSTEP_RANK=-1 is not used");
        row("too large", {"LOCKSTEP_RANK=4294967297"}, -1, "LOCKSTEP_RANK=4294967297 is not used");
        row("not a list", {"RANK=2", "LOCKSTEP_RANKS=some"}, 2, "RANKS must be a list of numbers");
    }

    void ranks()
    {
        QFETCH(Words, settings);
        QFETCH(int, rank);
        QFETCH(QString, problem);
        const TempDir folder;
        const CapturedRun run = stepsWith(settings, folder.path() / "out");
        QCOMPARE(run.status, 0);
        QCOMPARE(run.reports.size(), size_t(1));
        const Report& report = *run.reports[0];
        QCOMPARE(report.identity.rank.value.value_or(-1), rank);
        QVERIFY2(run.names[0].starts_with(rank < 0 ? "process_rank_"
                                                   : "process_rank" + std::to_string(rank) + "_"),
                 run.names[0].c_str());
        QCOMPARE(run.log.empty(), problem.isEmpty());
        QVERIFY2(run.log.find(problem.toStdString()) != std::string::npos, run.log.c_str());
        QCOMPARE(noted(report, "capture.settings"), problem.isEmpty() ? 0u : 1u);
    }

    // A program that changes its working folder and its children write to one folder.
    void relativeFolderIsResolvedAtTheStart()
    {
        const TempDir folder;
        std::filesystem::create_directories(folder.path() / "b");
        SteppedProgram program("reports", {{"LOCKSTEP_STEPS", "1-2"}}, folder.path());
        program.tell("push step 1");
        program.tell("pop");
        program.tell("chdir b");
        program.tell("push step 2");
        program.tell("pop");
        program.end();
        CapturedRun run;
        readReports(run, folder.path() / "reports");
        QCOMPARE(run.reports.size(), size_t(2));
        QVERIFY(!std::filesystem::exists(folder.path() / "b" / "reports"));
    }
};

LOCKSTEP_TEST(CapturedSettingsTest, "captured_settings_test")
#include "captured_settings_test.moc"
