// SPDX-License-Identifier: Apache-2.0
// A real Slurm: a job of two tasks submitted over ssh, watched by an agent on its node, collected from the
// node's own disk through the job, verified.
#include "core/remote/collector.h"
#include "core/session/launch_plan.h"
#include "tests/support/run_site.h"
#include "tests/support/slurm_site.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

// One task: a trace per step, named by the task's rank, on the node's own disk.
constexpr std::string_view kTask = R"py(
import json, os, sys, time
rank = int(os.environ["SLURM_PROCID"])
os.makedirs(sys.argv[1], exist_ok=True)
for step in (1, 2):
    events = [{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": i * 20, "dur": 9.5}
              for i in range(20)]
    name = "%s/rank%d_step%d.json" % (sys.argv[1], rank, step)
    with open(name + ".tmp", "w") as out:
        json.dump({"schemaVersion": 1, "baseTimeNanoseconds": time.time_ns(),
                   "distributedInfo": {"rank": rank, "world_size": 2}, "traceEvents": events}, out)
    os.rename(name + ".tmp", name)
    print("step:%d rank %d" % (step, rank), flush=True)
)py";

// Two tasks of task.py on one node, writing to that node's disk.
void planTwoTasks(RunSite& site, const std::string& name)
{
    const std::string disk = (site.site().folder() / "node disk").string();
    SessionConfig& config = site.config();
    config.name = name;
    config.hosts.clear();
    config.launcher.kind = LauncherKind::slurm;
    config.launcher.loginNode = "node0";
    config.launcher.slurmOptions = {"--ntasks=2", "--ntasks-per-node=2", "--nodes=1"};
    config.command = {"python3", "task.py", disk};
    config.savePath = disk;
}

// Runs it to its end; the exit status, and on another one than 0 what was said.
int statusOf(LockstepProcess& process)
{
    const int status = process.waitForEnd(90'000);
    if (status == 0) return 0;
    qWarning() << process.errors();
    for (const QJsonObject& line : process.lines())
        qWarning().noquote() << QJsonDocument(line).toJson(QJsonDocument::Compact).left(400);
    return status;
}

} // namespace

class SlurmTest : public QObject {
    Q_OBJECT

  private slots:
    void twoTasksEndToEnd()
    {
        RunSite site({"login"});
        LOCKSTEP_NEED_SITE(site);
        const SlurmSite slurm(site.site().folder() / "slurm");
        if (!slurm.problem().empty()) QSKIP(slurm.problem().c_str());
        site.node(0).setEnvironment("SLURM_CONF", slurm.configFile().string());
        site.node(0).write("task.py", kTask);
        planTwoTasks(site, "job");
        LockstepProcess process = site.run();
        QCOMPARE(statusOf(process), 0);
        const auto files = process.linesWhere([](const QJsonObject& line) { return line["kind"] == "file"; });
        QCOMPARE(files.size(), size_t(4));
        for (const QJsonObject& file : files) {
            QCOMPARE(file["state"].toString(), "verified");
            QCOMPARE(file["host"].toString().toStdString(), slurm.node());
        }
        // The job's own output came through, and the job is over: its nodes were given back.
        QVERIFY(!process.linesWhere(lineOf("step", "node0")).empty());
        QVERIFY(waitFor([&] { return slurm.told("squeue", {"-h"}).empty(); }));
    }

    // Login node and nodes take another place than the home folder, the session's own or, under a home that
    // many machines share, one of each machine.
    void agentsKeepOutOfTheHome_data()
    {
        QTest::addColumn<bool>("isNamed");
        QTest::newRow("agent_folder") << true;
        QTest::newRow("shared home") << false;
    }
    void agentsKeepOutOfTheHome()
    {
        QFETCH(bool, isNamed);
        RunSite site({"login"});
        LOCKSTEP_NEED_SITE(site);
        const SlurmSite slurm(site.site().folder() / "slurm");
        if (!slurm.problem().empty()) QSKIP(slurm.problem().c_str());
        site.node(0).setEnvironment("SLURM_CONF", slurm.configFile().string());
        site.node(0).write("task.py", kTask);
        planTwoTasks(site, "elsewhere");
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
        QVERIFY(std::filesystem::exists(runs / "node0" / "events.jsonl"));
        QVERIFY(std::filesystem::exists(runs / slurm.node() / "events.jsonl"));
        QVERIFY(!std::filesystem::exists(site.node(0).home() / ".local/state/lockstep"));
        QCOMPARE(std::filesystem::exists(site.node(0).home() / ".cache/lockstep"), !isNamed);
        std::filesystem::remove_all(runs);
    }

    // The nodes see another home than the login node, so the agent is not there for the job to start.
    void anAgentThatNodesDoNotSeeIsTold()
    {
        RunSite site({"login"});
        LOCKSTEP_NEED_SITE(site);
        const SlurmSite slurm(site.site().folder() / "slurm");
        if (!slurm.problem().empty()) QSKIP(slurm.problem().c_str());
        site.node(0).setEnvironment("SLURM_CONF", slurm.configFile().string());
        site.node(0).write("task.py", kTask);
        planTwoTasks(site, "unseen");
        const std::filesystem::path home = site.site().folder() / "home of nodes";
        std::filesystem::create_directories(home);
        site.config().launcher.slurmOptions.push_back("--export=ALL,HOME=" + home.string());
        LockstepProcess process = site.run();
        QCOMPARE(process.waitForEnd(120'000), 3); // it ends, and not well
        QByteArray all = process.errors();
        for (const QJsonObject& line : process.lines())
            all += QJsonDocument(line).toJson(QJsonDocument::Compact) + '\n';
        QVERIFY2(all.contains("nobody watches here"), all.constData());
    }

    void stopEndsTheJob()
    {
        RunSite site({"login"});
        LOCKSTEP_NEED_SITE(site);
        const SlurmSite slurm(site.site().folder() / "slurm");
        if (!slurm.problem().empty()) QSKIP(slurm.problem().c_str());
        qputenv("LOCKSTEP_STATE_HOME", QByteArray::fromStdString((site.site().folder() / "state").string()));
        site.node(0).setEnvironment("SLURM_CONF", slurm.configFile().string());
        site.node(0).write("task.py", std::string(kTask) + "import time\ntime.sleep(600)\n");
        planTwoTasks(site, "stopped");
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
        QVERIFY(waitFor(isRunning));
        run.stop(5);
        QVERIFY(waitFor([&] { return run.state() == RunState::ended; }));
        CollectOptions wish;
        wish.folder = site.site().folder() / "collected";
        Collector collector(run, wish);
        bool isCollected = false;
        connect(&collector, &Collector::finished, this, [&] { isCollected = true; });
        collector.begin();
        QVERIFY(waitFor([&] { return isCollected; }));
        QCOMPARE(run.ledger().counts()[static_cast<size_t>(LedgerState::verified)], size_t(4));
        run.letGoOfNodes();
        QVERIFY(waitFor([&] { return slurm.told("squeue", {"-h"}).empty(); }));
    }

    // A job that Slurm or a person ends: what it wrote to a disk that the login node shares still comes.
    void endedJobIsCollectedOverTheLoginNode_data()
    {
        QTest::addColumn<QStringList>("end");
        QTest::addColumn<QString>("state");
        QTest::newRow("scancel") << QStringList{"scancel", "JOB"} << "CANCELLED";
        QTest::newRow("time limit") << QStringList{"scontrol", "update", "JobId=JOB", "EndTime=now"}
                                    << "TIMEOUT";
    }
    void endedJobIsCollectedOverTheLoginNode()
    {
        QFETCH(QStringList, end);
        QFETCH(QString, state);
        RunSite site({"login"});
        LOCKSTEP_NEED_SITE(site);
        const SlurmSite slurm(site.site().folder() / "slurm");
        if (!slurm.problem().empty()) QSKIP(slurm.problem().c_str());
        site.node(0).setEnvironment("SLURM_CONF", slurm.configFile().string());
        site.node(0).write("task.py", std::string(kTask) + "import time\ntime.sleep(600)\n");
        planTwoTasks(site, "ended");
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
            QVERIFY2(lines.back()["reason"].toString().contains(state),
                     qPrintable(lines.back()["reason"].toString()));
        }
        // Neither the agent nor what it watches stays on the node.
        QVERIFY2(waitFor(
                     [&] {
                         return site.node(0).processes("agent-runs").empty() &&
                                site.node(0).processes("watch").empty();
                     },
                     60'000),
                 "something of the run stays");
    }

    void attachedJobIsCollected()
    {
        RunSite site({"login"});
        LOCKSTEP_NEED_SITE(site);
        const SlurmSite slurm(site.site().folder() / "slurm");
        if (!slurm.problem().empty()) QSKIP(slurm.problem().c_str());
        site.node(0).setEnvironment("SLURM_CONF", slurm.configFile().string());
        site.node(0).write("task.py",
                           std::string(kTask) +
                               "while os.path.exists(os.environ['HOME'] + '/hold'):\n    time.sleep(0.05)\n");
        site.node(0).write("hold", "");
        planTwoTasks(site, "attached");
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
        std::filesystem::remove(site.node(0).home() / "hold");
        QCOMPARE(second.waitForEnd(), 0);
        const auto files = second.linesWhere([](const QJsonObject& line) { return line["kind"] == "file"; });
        QCOMPARE(files.size(), size_t(4));
        for (const QJsonObject& file : files)
            QCOMPARE(file["state"].toString(), "verified");
        QVERIFY(waitFor([&] { return slurm.told("squeue", {"-h"}).empty(); }));
        // Once more, when the job is long over: everything is here, nothing fails.
        LockstepProcess third = site.attach(run);
        QCOMPARE(third.waitForEnd(), 0);
    }

    void arraysAndRequeuesAreRefused_data()
    {
        QTest::addColumn<QString>("word");
        for (const char* word : {"--array=1-4", "-a1-2", "--requeue"})
            QTest::newRow(word) << QString(word);
    }
    void arraysAndRequeuesAreRefused()
    {
        QFETCH(QString, word);
        RunSite site({"login"});
        LOCKSTEP_NEED_SITE(site);
        planTwoTasks(site, "refused");
        site.config().launcher.slurmOptions.push_back(word.toStdString());
        LockstepProcess process = site.run();
        QCOMPARE(process.waitForEnd(60'000), 1);
        QVERIFY2(process.errors().contains(word.toUtf8()), process.errors().constData());
        QVERIFY(process.lines().empty());
    }

    void failedJobSaysWhy()
    {
        RunSite site({"login"});
        LOCKSTEP_NEED_SITE(site);
        const SlurmSite slurm(site.site().folder() / "slurm");
        if (!slurm.problem().empty()) QSKIP(slurm.problem().c_str());
        site.node(0).setEnvironment("SLURM_CONF", slurm.configFile().string());
        SessionConfig& config = site.config();
        config.hosts.clear();
        config.launcher.kind = LauncherKind::slurm;
        config.launcher.loginNode = "node0";
        config.launcher.slurmOptions = {"--partition=none-such"};
        LockstepProcess process = site.run();
        QCOMPARE(process.waitForEnd(60'000), 3);
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
