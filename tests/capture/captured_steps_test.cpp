// SPDX-License-Identifier: Apache-2.0
// Tests capture ranges, steps and stages of a real program: which reports exist, their names and their
// contents.
#include "tests/capture/captured_run.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

class CapturedStepsTest : public QObject {
    Q_OBJECT

  private slots:
    void reportsOfSteps_data()
    {
        QTest::addColumn<QStringList>("settings");
        QTest::addColumn<QString>("reports"); // step: number of ranges in the step
        const auto row = [](const char* name, QStringList settings, const char* reports) {
            QTest::newRow(name) << settings << reports;
        };
        row("all", {}, "-:18;");
        row("two steps", {"LOCKSTEP_STEPS=2,5"}, "2:2;5:2;");
        row("joined", {"LOCKSTEP_STEPS=1,2,5", "LOCKSTEP_CAPTURE_CONTINUOUS=1"}, "1:5;5:2;");
        row("by name", {"LOCKSTEP_CAPTURE_RANGE=nvtx:step 3"}, "-:2;");
        row("by pattern", {"LOCKSTEP_CAPTURE_RANGE=nvtx:step *", "LOCKSTEP_STEPS=3-4"}, "3:2;4:2;");
        row("the second range", {"LOCKSTEP_CAPTURE_RANGE=nvtx:between", "LOCKSTEP_STEPS=2"}, "2:1;");
        row("another domain", {"LOCKSTEP_CAPTURE_RANGE=nvtx:between@nowhere"}, "");
        row("profiler never starts", {"LOCKSTEP_CAPTURE_RANGE=cudaProfilerApi"}, "");
    }

    void reportsOfSteps()
    {
        QFETCH(QStringList, settings);
        const TempDir folder;
        Settings pairs;
        for (const QString& setting : settings)
            pairs.emplace_back(setting.section('=', 0, 0), setting.section('=', 1));
        const CapturedRun run = runCaptured(builtProgram("capture-ranges"),
                                            {"steps", QString::fromStdString(folder.path() / "log")},
                                            folder.path() / "out", pairs);
        QCOMPARE(run.status, 0);
        const bool saysWhyNothing = run.log.find("\"event\":\"no_report\"") != std::string::npos;
        QVERIFY2(run.log.empty() || saysWhyNothing, run.log.c_str());
        QCOMPARE(saysWhyNothing, run.reports.empty());
        QString found;
        for (const auto& report : run.reports) {
            const auto& step = report->identity.step;
            found += (step.isKnown() ? QString::number(*step.value) : "-") + ":" +
                     QString::number(countOf(*report, "nvtx_pushpop")) + ";";
        }
        QTEST(found, "reports");
    }

    void settingsFromAFile()
    {
        const TempDir folder;
        const auto config =
            folder.write("config.json", R"({"steps": [4], "role": "actor_rollout", "environment":
            ["KEPT"], "run": "night 7"})");
        const CapturedRun run =
            runCaptured(builtProgram("capture-ranges"),
                        {"steps", QString::fromStdString(folder.path() / "log")}, folder.path() / "out",
                        {{"LOCKSTEP_CONFIG", QString::fromStdString(config)},
                         {"KEPT", "yes"},
                         {"SECRET_TOKEN", "hidden"}});
        QCOMPARE(run.reports.size(), 1u);
        const Report& report = *run.reports[0];
        QVERIFY2(run.names[0].starts_with("actor-rollout_rank"), run.names[0].c_str());
        QCOMPARE(*report.identity.step.value, 4);
        QCOMPARE(*report.identity.role.value, std::string("actor_rollout"));
        QCOMPARE(*report.identity.run.value, std::string("night 7"));
        QCOMPARE(factOf(report, "Environment KEPT"), std::string("yes"));
        const std::string bytes = contentOf(folder.path() / "out" / run.names[0]);
        QVERIFY(bytes.find("hidden") == std::string::npos);
    }

    void invalidSettingsAreLogged()
    {
        const TempDir folder;
        const CapturedRun run = runCaptured(
            builtProgram("capture-ranges"), {"plain", QString::fromStdString(folder.path() / "log")},
            folder.path() / "out", {{"LOCKSTEP_STEPS", "one"}, {"LOCKSTEP_CAPTURE_RANGE", "some"}});
        QCOMPARE(run.status, 0);
        QCOMPARE(run.reports.size(), 1u);
        QVERIFY2(run.log.find("STEPS must be a list of numbers") != std::string::npos, run.log.c_str());
        QVERIFY2(run.log.find("RANGE must be cudaProfilerApi") != std::string::npos, run.log.c_str());
    }

    void interfaceWorksInC()
    {
        const TempDir folder;
        const CapturedRun run = runCaptured(builtProgram("capture-c_api"), {}, folder.path() / "out");
        QCOMPARE(run.status, 0);
        QCOMPARE(run.reports.size(), 1u);
        const Report& report = *run.reports[0];
        QCOMPARE(countOf(report, "nvtx_startend"), 9u);
        QCOMPARE(report.counterTracks.size(), 1u);
        QCOMPARE(std::string(report.strings.at(report.counterTracks[0].name)), std::string("loss"));
        QCOMPARE(std::string(report.strings.at(report.counterTracks[0].unit)), std::string("nats"));
        QCOMPARE(report.counters.value[2], 0.25);
    }

    // Clock alignment and straggler analysis rely on the collectives that a program declares; also tested
    // with NVIDIA's headers.
    void collectivesDeclaredByTheProgram_data()
    {
        QTest::addColumn<QString>("program");
        QTest::newRow("functions") << "capture-c_api";
        if (QFile::exists(builtProgram("capture-c_api_nvtx3")))
            QTest::newRow("NVTX") << "capture-c_api_nvtx3";
    }

    void collectivesDeclaredByTheProgram()
    {
        QFETCH(QString, program);
        const TempDir folder;
        const CapturedRun run = runCaptured(builtProgram(qPrintable(program)), {}, folder.path() / "out");
        QCOMPARE(run.status, 0);
        QCOMPARE(run.reports.size(), 1u);
        const Report& report = *run.reports[0];
        QCOMPARE(report.collectives.size(), 3u);
        for (size_t i = 0; i < 3; ++i) {
            const CollectiveOp& op = report.collectives[i];
            QCOMPARE(report.slices.category[op.slice.value], SliceCategory::communication);
            QCOMPARE(std::string(report.nameOf(op.slice)), std::string("AllReduce"));
            QCOMPARE(std::string(report.strings.at(op.group)), std::string("data parallel"));
            QCOMPARE(op.message_bytes, uint64_t(1) << 20);
            QCOMPARE(op.sequence, uint64_t(i + 1));
            QCOMPARE(op.groupSize, 8u);
            QCOMPARE(op.rankInGroup, 3u);
        }
        // Stages and steps are not collectives.
        QCOMPARE(std::ranges::count(report.slices.category, SliceCategory::communication), 3);
    }

    void hostHasTheConfiguredName()
    {
        const TempDir folder;
        const CapturedRun run = runCaptured(builtProgram("capture-c_api"), {}, folder.path() / "out",
                                            {{"LOCKSTEP_HOST", "left one"}});
        QCOMPARE(run.status, 0);
        QCOMPARE(run.reports.size(), 1u);
        const Report& report = *run.reports[0];
        QVERIFY2(run.names[0].find("_left-one_") != std::string::npos, run.names[0].c_str());
        QCOMPARE(*report.identity.host.value, std::string("left one"));
        QCOMPARE(factOf(report, "Machine"), QSysInfo::machineHostName().toStdString());
        QCOMPARE(noted(report, "spool.host_by_setting"), 1u);
    }

    void stagesHaveTheirOwnReports()
    {
        const TempDir folder;
        const CapturedRun run =
            runCaptured(builtProgram("capture-c_api"), {}, folder.path() / "out",
                        {{"LOCKSTEP_DISCRETE", "1"}, {"LOCKSTEP_STEPS", "1,3"}, {"LOCKSTEP_ROLE", "worker"}});
        QCOMPARE(run.status, 0);
        QCOMPARE(run.reports.size(), 2u);
        QVERIFY2(run.names[0].starts_with("actor_rank"), run.names[0].c_str());
        QCOMPARE(*run.reports[1]->identity.stage.value, std::string("update"));
        QCOMPARE(*run.reports[1]->identity.step.value, 3);
    }

    void withoutTheLibraryNothingHappens()
    {
        QProcess process;
        process.setProcessEnvironment(QProcessEnvironment());
        process.start(builtProgram("capture-c_api"), QStringList());
        QVERIFY(process.waitForFinished(kPatience_ms));
        QCOMPARE(process.exitCode(), 0);
    }
};

LOCKSTEP_TEST(CapturedStepsTest, "captured_steps_test")
#include "captured_steps_test.moc"
