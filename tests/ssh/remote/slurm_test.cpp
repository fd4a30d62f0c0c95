// SPDX-License-Identifier: Apache-2.0
// Tests a real Slurm: a job of two tasks submitted over ssh, watched by an agent on its node, collected
// through the job from the node's own disk, and verified.
#include "core/remote/collector.h"
#include "core/session/launch_plan.h"
#include "tests/support/slurm_run.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

class SlurmTest : public QObject {
    Q_OBJECT

  private slots:
    void twoTasksEndToEnd()
    {
        SlurmRun made("job");
        LOCKSTEP_NEED_SLURM(made);
        RunSite& site = made.site();
        const SlurmSite& slurm = made.slurm();
        LockstepProcess process = site.run();
        QCOMPARE(statusOf(process), 0);
        const auto files = process.linesWhere([](const QJsonObject& line) { return line["kind"] == "file"; });
        QCOMPARE(files.size(), size_t(4));
        for (const QJsonObject& file : files) {
            QCOMPARE(file["state"].toString(), "verified");
            QCOMPARE(file["host"].toString().toStdString(), slurm.node());
        }
        // The job's own output arrived, and the job is over: its nodes were released.
        QVERIFY(!process.linesWhere(lineOf("step", "node0")).empty());
        QVERIFY(waitUntil([&] { return slurm.told("squeue", {"-h"}).empty(); }));
    }

    // The login node and the nodes use another folder than the home folder: the session's own, or one per
    // machine if many machines share the home folder.
    void agentsKeepOutOfTheHome_data()
    {
        QTest::addColumn<bool>("isNamed");
        QTest::newRow("agent_folder") << true;
        QTest::newRow("shared home") << false;
    }
    void agentsKeepOutOfTheHome()
    {
        QFETCH(bool, isNamed);
        SlurmRun made("elsewhere");
        LOCKSTEP_NEED_SLURM(made);
        RunSite& site = made.site();
        const SlurmSite& slurm = made.slurm();
        const std::filesystem::path named = site.site().folder() / "other place";
        if (isNamed) {
            site.config().launcher.agentFolder = named.string();
        } else {
            site.node(0).setEnvironment("LOCKSTEP_AGENT_SHARED_HOME", "1");
        }
        LockstepProcess process = site.run();
        QCOMPARE(statusOf(process), 0);
        const std::filesystem::path runs =
            (isNamed ? named : localAgentFolder()) / "agent-runs" / process.runId().toStdString();
        QVERIFY(std::filesystem::exists(runs / "login@node0" / "events.jsonl"));
        QVERIFY(std::filesystem::exists(runs / slurm.node() / "events.jsonl"));
        QVERIFY(!std::filesystem::exists(site.node(0).home() / ".local/state/lockstep"));
        QCOMPARE(std::filesystem::exists(site.node(0).home() / ".cache/lockstep"), !isNamed);
        std::filesystem::remove_all(runs);
    }

    // The agent's folder is not on a disk that the nodes share.
    void anAgentThatNodesDoNotSeeIsReported()
    {
        SlurmRun made("unseen");
        LOCKSTEP_NEED_SLURM(made);
        made.launcher().slurmOptions.push_back("--hold");
        LockstepProcess process = made.site().run();
        QVERIFY(process.waitForLine(
            lineOf("host", "node0", [](const QJsonObject& line) { return line["state"] == "pending"; })));
        std::filesystem::rename(made.login().home() / ".cache/lockstep/agent", made.login().home() / "gone");
        made.slurm().told("scontrol", {"release", made.queue()});
        QCOMPARE(process.waitForEnd(), 3); // the run ends, but not successfully
        QByteArray all = process.errors();
        for (const QJsonObject& line : process.lines())
            all += QJsonDocument(line).toJson(QJsonDocument::Compact) + '\n';
        QVERIFY2(all.contains("so this job is not watched"), all.constData());
    }

    void stopEndsTheJob()
    {
        SlurmRun made("stopped");
        LOCKSTEP_NEED_SLURM(made);
        RunSite& site = made.site();
        const SlurmSite& slurm = made.slurm();
        qputenv("LOCKSTEP_STATE_HOME", QByteArray::fromStdString((site.site().folder() / "state").string()));
        made.hold();
        RunOptions options;
        options.ssh = site.site().options();
        const auto agent = findAgentProgram();
        QVERIFY(agent.has_value());
        options.agent = *agent;
        const auto plan = planLaunch(site.config(), {});
        QVERIFY(plan.has_value());
        auto created = Run::create(site.config(), *plan, {}, options);
        QVERIFY(created.has_value());
        Run& run = **created;
        run.begin();
        const auto isRunning = [&] {
            return run.hosts().size() == 2 && run.hosts()[1].state == HostState::running &&
                   run.hosts()[0].step == 2;
        };
        QVERIFY(waitUntil(isRunning));
        run.stop(5);
        QVERIFY(waitUntil([&] { return run.state() == RunState::ended; }));
        CollectOptions requested;
        requested.folder = site.site().folder() / "collected";
        Collector collector(run, requested);
        bool isCollected = false;
        connect(&collector, &Collector::finished, this, [&] { isCollected = true; });
        collector.begin();
        QVERIFY(waitUntil([&] { return isCollected; }));
        QCOMPARE(run.ledger().counts()[static_cast<size_t>(LedgerState::verified)], size_t(4));
        run.releaseNodes();
        QVERIFY(waitUntil([&] { return slurm.told("squeue", {"-h"}).empty(); }));
    }

    // A job that Slurm or a person ends: reports on a disk shared with the login node are still collected.
    void endedJobIsCollectedOverTheLoginNode_data()
    {
        QTest::addColumn<QStringList>("end");
        QTest::addColumn<QString>("state");
        QTest::newRow("scancel") << QStringList{"scancel", "JOB"} << "CANCELLED";
        // Slurm refuses a time that has passed when it gets the command.
        QTest::newRow("time limit") << QStringList{"scontrol", "update", "JobId=JOB", "EndTime=now+20"}
                                    << "TIMEOUT";
    }
    void endedJobIsCollectedOverTheLoginNode()
    {
        QFETCH(QStringList, end);
        QFETCH(QString, state);
        SlurmRun made("ended");
        LOCKSTEP_NEED_SLURM(made);
        RunSite& site = made.site();
        const SlurmSite& slurm = made.slurm();
        made.hold();
        LockstepProcess process = site.run();
        QVERIFY(
            process.waitForLine(lineOf("host", QString::fromStdString(slurm.node()),
                                       [](const QJsonObject& line) { return line["state"] == "running"; })));
        for (const char* text : {"step:2 rank 0", "step:2 rank 1"}) {
            QVERIFY(process.waitForLine(lineOf("stdout", "node0", [text](const QJsonObject& line) {
                return line["text"].toString().contains(text);
            })));
        }
        const QString job = QString::fromStdString(slurm.told("squeue", {"-h", "-o", "%i"})).trimmed();
        slurm.told(end.front(), end.mid(1).replaceInStrings("JOB", job));
        QCOMPARE(process.waitForEnd(), 3);
        const auto files = process.linesWhere([](const QJsonObject& line) { return line["kind"] == "file"; });
        QCOMPARE(files.size(), size_t(4));
        for (const QJsonObject& file : files)
            QCOMPARE(file["state"].toString(), "verified");
        // The node may have seen the script's end before it was cut off.
        for (const char* host : {"node0", slurm.node().c_str()}) {
            const auto lines = process.linesWhere(lineOf("host", host));
            QVERIFY(!lines.empty());
            if (host == slurm.node() && lines.back()["state"] == "ended") continue;
            QCOMPARE(lines.back()["state"].toString(), "failed");
            const QString wanted = host == slurm.node() ? "its job ended" : state;
            QVERIFY2(lines.back()["reason"].toString().contains(wanted),
                     qPrintable(lines.back()["reason"].toString()));
        }
        // Neither the agent nor the processes that it watches remain on the node.
        QVERIFY2(waitUntil([&] {
                     return site.node(0).processes("agent-runs").empty() &&
                            site.node(0).processes("watch").empty();
                 }),
                 "something of the run stays");
    }

    void attachedJobIsCollected()
    {
        SlurmRun made("attached");
        LOCKSTEP_NEED_SLURM(made);
        RunSite& site = made.site();
        const SlurmSite& slurm = made.slurm();
        made.hold();
        LockstepProcess first = site.run();
        QVERIFY(first.waitForLine(lineOf("step", "node0")));
        const QString run = first.runId();
        first.kill();
        first.waitForEnd();
        site.site().closeConnections();
        LockstepProcess second = site.attach(run);
        QVERIFY(
            second.waitForLine(lineOf("host", QString::fromStdString(slurm.node()),
                                      [](const QJsonObject& line) { return line["state"] == "running"; })));
        made.release();
        QCOMPARE(second.waitForEnd(), 0);
        const auto files = second.linesWhere([](const QJsonObject& line) { return line["kind"] == "file"; });
        QCOMPARE(files.size(), size_t(4));
        for (const QJsonObject& file : files)
            QCOMPARE(file["state"].toString(), "verified");
        QVERIFY(waitUntil([&] { return slurm.told("squeue", {"-h"}).empty(); }));
        // Once more, long after the job's end: everything is stored already, and nothing fails.
        LockstepProcess third = site.attach(run);
        QCOMPARE(third.waitForEnd(), 0);
    }

    void severalJobsAreRefused_data()
    {
        QTest::addColumn<QString>("word");
        for (const char* word : {"--array=1-4", "-a1-2", "--test-only"})
            QTest::newRow(word) << QString(word);
    }
    void severalJobsAreRefused()
    {
        QFETCH(QString, word);
        SlurmRun made("refused");
        LOCKSTEP_NEED_SLURM(made);
        RunSite& site = made.site();
        site.config().launcher.slurmOptions.push_back(word.toStdString());
        LockstepProcess process = site.run();
        QCOMPARE(process.waitForEnd(), 1);
        QVERIFY2(process.errors().contains(word.toUtf8()), process.errors().constData());
        QVERIFY(process.lines().empty());
    }

    void failedJobReportsTheReason()
    {
        SlurmRun made("failed");
        LOCKSTEP_NEED_SLURM(made);
        RunSite& site = made.site();
        made.launcher().slurmOptions = {"--partition=none-such"};
        LockstepProcess process = site.run();
        QCOMPARE(process.waitForEnd(), 3);
        const auto hosts = process.linesWhere(lineOf("host", "node0"));
        QVERIFY(!hosts.empty());
        QCOMPARE(hosts.back()["state"].toString(), "failed");
        QVERIFY2(hosts.back()["reason"].toString().contains("invalid partition specified: none-such"),
                 qPrintable(hosts.back()["reason"].toString()));
        QVERIFY(!process
                     .linesWhere(lineOf("stderr", "node0",
                                        [](const QJsonObject& line) {
                                            return line["text"].toString().contains("invalid partition");
                                        }))
                     .empty());
    }
};

LOCKSTEP_TEST(SlurmTest, "slurm_test")
#include "slurm_test.moc"
