// SPDX-License-Identifier: Apache-2.0
// Tests how jobs of a real Slurm end, and a killed supervisor on the login node: the cause is reported once,
// and the reports are collected or named.
#include <csignal>
#include <fstream>

#include "tests/support/slurm_run.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

// Kills the processes that watch the run on the login node, in an order that leaves none to restart the
// others.
void killWatchers(SlurmRun& run, const QString& id)
{
    for (const char* name : {"supervisor.pid", "command-0/monitor.pid", "command-0/child.pid"}) {
        std::ifstream file(run.runFolder(id) / name);
        int pid = 0;
        if (file >> pid && pid > 1) ::kill(pid, SIGKILL);
    }
}

} // namespace

class SlurmEndsTest : public QObject {
    Q_OBJECT

  private slots:
    void aKilledWatcherIsStartedAgain_data()
    {
        QTest::addColumn<QString>("phase");
        for (const char* phase : {"pending", "running", "ended"})
            QTest::newRow(phase) << phase;
    }
    void aKilledWatcherIsStartedAgain()
    {
        QFETCH(QString, phase);
        SlurmRun run("killed");
        LOCKSTEP_NEED_SLURM(run);
        if (phase == "pending") run.launcher().slurmOptions.push_back("--hold");
        if (phase == "ended") run.launcher().holdNodes_s = 0;
        run.hold();
        LockstepProcess first = run.site().run();
        QVERIFY(waitForState(first, phase == "pending" ? "pending" : "running"));
        if (phase != "pending") QVERIFY(first.waitForLine(lineOf("step", "node0")));
        first.kill();
        first.waitForEnd();
        run.site().site().closeConnections();
        killWatchers(run, first.runId());
        if (phase == "ended") {
            run.release();
            QVERIFY(waitUntil([&] { return run.queue().isEmpty(); }));
        }
        LockstepProcess second = run.site().attach(first.runId());
        QVERIFY(second.waitForLine(lineOf("error", "node0", [](const QJsonObject& line) {
            return line["failure"] == "follower_restarted";
        })));
        if (phase == "pending") run.slurm().told("scontrol", {"release", run.queue()});
        run.release();
        QCOMPARE(statusOf(second), 0);
        QCOMPARE(second.verifiedFiles(), size_t(4));
    }

    // A file of the same name on the login node is a different file.
    void filesOfANodesOwnDiskAreNamed()
    {
        SlurmRun run("own disk");
        LOCKSTEP_NEED_SLURM(run);
        run.hold();
        LockstepProcess first = run.site().run();
        const std::string node = run.slurm().node();
        for (const char* rank : {"rank0_step2.json", "rank1_step2.json"}) {
            QVERIFY(first.waitForLine(
                lineOf("report", QString::fromStdString(node), [rank](const QJsonObject& line) {
                    return line["path"].toString().endsWith(rank) && line["complete"].toBool();
                })));
        }
        first.kill();
        first.waitForEnd();
        run.slurm().told("scancel", {run.queue()});
        QVERIFY(waitUntil([&] { return run.queue().isEmpty(); }));
        std::filesystem::rename(run.disk(), run.disk().string() + " of the node");
        std::filesystem::create_directories(run.disk());
        std::ofstream(run.disk() / "rank0_step1.json") << R"({"traceEvents": []})";
        LockstepProcess second = run.site().attach(first.runId());
        QCOMPARE(statusOf(second, 3), 3);
        QCOMPARE(second.verifiedFiles(), size_t(0));
        const QByteArray errors = second.errors();
        QVERIFY2(errors.contains(("on the local disk of node " + node).c_str()), errors.constData());
        QVERIFY2(errors.contains("rank0_step1.json"), errors.constData());
    }

    // The job ends even if no lockstep collects, because its reports are on a disk shared with the login
    // node.
    void nodesAreNotKeptForSharedDisks()
    {
        SlurmRun run("shared");
        LOCKSTEP_NEED_SLURM(run);
        run.login().setEnvironment("LOCKSTEP_AGENT_SHARED_HOME", "1");
        const std::string reports = (run.login().home() / "reports").string();
        run.site().config().savePath = reports;
        run.site().config().command.back() = reports;
        run.hold();
        LockstepProcess first = run.site().run();
        QVERIFY(waitForState(first, "running"));
        QVERIFY(first.waitForLine(lineOf("step", "node0")));
        first.kill();
        first.waitForEnd();
        run.release();
        QVERIFY(waitUntil([&] { return run.queue().isEmpty(); }));
        LockstepProcess second = run.site().attach(first.runId());
        QCOMPARE(statusOf(second), 0);
        QCOMPARE(second.verifiedFiles(), size_t(4));
        std::filesystem::remove_all(localAgentFolder() / "agent-runs" / first.runId().toStdString());
    }

    void requeuedJobsAreFollowedAgain()
    {
        SlurmRun run("requeue");
        LOCKSTEP_NEED_SLURM(run);
        run.hold();
        LockstepProcess process = run.site().run();
        for (const char* text : {"step:2 rank 0", "step:2 rank 1"})
            QVERIFY(process.waitForLine(lineWithText(text)));
        const QString job = "JobId=" + run.queue();
        run.slurm().told("scontrol", {"update", job, "Requeue=1"});
        run.slurm().told("scontrol", {"requeue", run.queue()});
        QVERIFY(waitForError(process, "requeued once"));
        std::filesystem::remove_all(run.disk()); // the reports collected below are from the second start
        run.release();
        run.slurm().told("scontrol", {"update", job, "StartTime=now"});
        // All reports are complete, but the GPU and clock events of the nodes are missing.
        QCOMPARE(statusOf(process, 3), 3);
        QCOMPARE(process.verifiedFiles(), size_t(4));
        // Slurm truncates the output file on a requeue; the output of the second start is shown nevertheless.
        QCOMPARE(process.linesWhere(lineWithText("step:2 rank 0")).size(), size_t(2));
        QVERIFY2(process.errors().contains("node0: the job was requeued; "), process.errors().constData());
    }

    void causesComeFirstAndOnce_data()
    {
        QTest::addColumn<QStringList>("end");
        QTest::addColumn<QByteArray>("cause");
        QTest::newRow("scancel") << QStringList{"scancel", "JOB"}
                                 << QByteArray("ended: canceled outside Lockstep (CANCELLED)");
        // Slurm refuses a time that has passed when it gets the command.
        QTest::newRow("time limit") << QStringList{"scontrol", "update", "JobId=JOB", "EndTime=now+20"}
                                    << QByteArray("ended: time limit of ");
        QTest::newRow("program killed")
            << QStringList() << QByteArray("ended: exit status 137: ended by SIGKILL");
        QTest::newRow("node fails") << QStringList{"scontrol", "update", "NodeName=node1", "State=DOWN",
                                                   "Reason=test"}
                                    << QByteArray("ended: one of its nodes failed (NODE_FAIL)");
        QTest::newRow("preempted") << QStringList{"sbatch",    "--partition=high",   "--exclusive",
                                                  "--nodes=2", "--output=/dev/null", "--wrap",
                                                  "true"}
                                   << QByteArray("ended: preempted by a job of higher priority (PREEMPTED)");
    }
    void causesComeFirstAndOnce()
    {
        QFETCH(QStringList, end);
        QFETCH(QByteArray, cause);
        SlurmRun run("cause", 2,
                     "PreemptType=preempt/partition_prio\nPreemptMode=CANCEL\n"
                     "PartitionName=high Nodes=ALL PriorityTier=10 State=UP\n");
        LOCKSTEP_NEED_SLURM(run);
        run.launcher().slurmOptions = {"--ntasks=2", "--ntasks-per-node=1", "--nodes=2"};
        run.hold();
        LockstepProcess process = run.site().run();
        for (const char* text : {"step:2 rank 0", "step:2 rank 1"})
            QVERIFY(process.waitForLine(lineWithText(text)));
        if (end.isEmpty()) {
            for (const int pid : run.login().processes("task.py"))
                ::kill(pid, SIGKILL);
        } else {
            run.slurm().told(end.front(), end.mid(1).replaceInStrings("JOB", run.queue()));
        }
        QCOMPARE(statusOf(process, 3), 3);
        const QByteArray errors = process.errors();
        QCOMPARE(errors.count(cause), 1);
        QVERIFY2(!errors.contains("node1: failed"), errors.constData());
        QCOMPARE(process.verifiedFiles(), size_t(4));
    }
};

LOCKSTEP_TEST(SlurmEndsTest, "slurm_ends_test")
#include "slurm_ends_test.moc"
