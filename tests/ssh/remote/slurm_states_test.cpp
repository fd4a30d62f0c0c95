// SPDX-License-Identifier: Apache-2.0
// A real Slurm whose jobs wait, whose controller is away, whose sbatch is wrapped, and whose watcher is
// killed: what Lockstep reports is what Slurm answered.
#include <csignal>
#include <fstream>

#include "tests/support/slurm_run.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

bool waitForState(LockstepProcess& process, const QString& state)
{
    return process.waitForLine(
        lineOf("host", "node0", [state](const QJsonObject& line) { return line["state"] == state; }));
}

bool waitForError(LockstepProcess& process, const QByteArray& text, int deadline_ms = 60'000)
{
    return waitFor([&] { return process.errors().contains(text); }, deadline_ms);
}

// A line of the job's own output.
auto lineWithText(const char* text)
{
    return lineOf("stdout", "node0",
                  [text](const QJsonObject& line) { return line["text"].toString().contains(text); });
}

QString lastReason(const LockstepProcess& process)
{
    const auto lines = process.linesWhere(lineOf("host", "node0"));
    return lines.empty() ? QString() : lines.back()["reason"].toString();
}

// Kills what watches the run on the login node, in the order that leaves nobody to start it again.
void killWatchers(SlurmRun& run, const QString& id)
{
    for (const char* name : {"supervisor.pid", "command-0/shepherd.pid", "command-0/child.pid"}) {
        std::ifstream file(run.runFolder(id) / name);
        int pid = 0;
        if (file >> pid && pid > 1) ::kill(pid, SIGKILL);
    }
}

} // namespace

class SlurmStatesTest : public QObject {
    Q_OBJECT

  private slots:
    void stopCancelsAPendingJob()
    {
        SlurmRun run("held");
        LOCKSTEP_NEED_SLURM(run);
        run.launcher().slurmOptions.push_back("--hold");
        LockstepProcess process = run.site().run();
        QVERIFY(waitForState(process, "pending"));
        QVERIFY(waitForError(process, "is pending: held by its owner (JobHeldUser); scontrol release"));
        LockstepProcess stop(run.site().site().environment(), {"--stop", process.runId()});
        QCOMPARE(stop.waitForEnd(), 0);
        QCOMPARE(run.queue("%i %T"), QString()); // Slurm agrees, at the moment at which it is called stopped
        QVERIFY(process.waitForEnd() >= 0);
        QCOMPARE(lastReason(process), "stopped as asked");
    }

    void pendingReasonsAreReportedAsTheyChange()
    {
        SlurmRun run("waiting");
        LOCKSTEP_NEED_SLURM(run);
        run.slurm().told("scontrol", {"update", "PartitionName=all", "State=down"});
        run.launcher().slurmOptions.push_back("--begin=now+1hour");
        LockstepProcess process = run.site().run();
        QVERIFY(waitForState(process, "pending"));
        QVERIFY(waitForError(process, "begin time has not come (BeginTime); expected start "));
        const QString job = run.queue();
        run.slurm().told("scontrol", {"update", "JobId=" + job, "StartTime=now"});
        QVERIFY(waitForError(process, "its partition is down (PartitionDown)"));
        // Another program that watches it sees the same.
        process.terminate();
        process.waitForEnd();
        LockstepProcess second = run.site().attach(process.runId());
        QVERIFY(waitForState(second, "pending"));
        QVERIFY(waitForError(second, "its partition is down (PartitionDown)"));
        run.slurm().told("scontrol", {"update", "PartitionName=all", "State=up"});
        QCOMPARE(statusOf(second), 0);
        QCOMPARE(second.verifiedFiles(), size_t(4));
    }

    void aSilentControllerIsNoAnswer()
    {
        SlurmRun run("silent");
        LOCKSTEP_NEED_SLURM(run);
        run.hold();
        LockstepProcess first = run.site().run();
        QVERIFY(first.waitForLine(lineOf("step", "node0")));
        QVERIFY(waitForState(first, "running"));
        run.slurm().stopController();
        QVERIFY(waitForError(first, "Slurm has not answered since "));
        first.kill();
        first.waitForEnd();
        LockstepProcess second = run.site().attach(first.runId());
        QVERIFY(waitForError(second, "Slurm has not answered since "));
        QVERIFY(second.errors().contains("the last known state of job"));
        QVERIFY(run.slurm().startController());
        run.release();
        QCOMPARE(statusOf(second), 0);
        QCOMPARE(second.verifiedFiles(), size_t(4));
    }

    void sbatchIsReadAsSitesWrapIt_data()
    {
        QTest::addColumn<QByteArray>("sbatch");
        QTest::addColumn<int>("status");
        QTest::addColumn<QByteArray>("error");
        const auto row = [](const char* name, const char* sbatch, int status, const char* error) {
            QTest::newRow(name) << QByteArray("#!/bin/sh\n") + sbatch << status << QByteArray(error);
        };
        row("banner", "echo Welcome; echo 'project: 42 hours left'; $REAL \"$@\"; echo bye >&2", 0, "");
        row("timeout after the submit",
            "$REAL \"$@\" > /dev/null; echo 'sbatch: error: Batch job submission failed: Socket timed out on "
            "send/recv operation' >&2; exit 1",
            0, "");
        row("no id", "$REAL \"$@\" > /dev/null; echo done", 0, "");
        row("refused", "echo 'sbatch: error: no hours left in project x' >&2; exit 1", 3,
            "not submitted: no hours left in project x");
        row("nothing submitted", "echo done", 3, "sbatch printed no job id: done");
    }
    void sbatchIsReadAsSitesWrapIt()
    {
        QFETCH(QByteArray, sbatch);
        QFETCH(int, status);
        QFETCH(QByteArray, error);
        SlurmRun run("wrapped");
        LOCKSTEP_NEED_SLURM(run);
        run.replaceOnLogin("sbatch", sbatch.toStdString());
        LockstepProcess process = run.site().run();
        QCOMPARE(statusOf(process, status), status);
        QCOMPARE(process.verifiedFiles(), size_t(status == 0 ? 4 : 0));
        QVERIFY2(process.errors().contains(error), process.errors().constData());
        QVERIFY(waitFor([&] { return run.queue().isEmpty(); }));
    }

    void theUsersScriptIsCheckedBeforeTheQueue_data()
    {
        QTest::addColumn<QByteArray>("script"); // empty: none
        QTest::addColumn<QByteArray>("error");
        QTest::newRow("missing") << QByteArray() << QByteArray("ray.sub: the batch script cannot be read");
        QTest::newRow("array") << QByteArray("#!/bin/bash\n#SBATCH --array=1-4\n$COMMAND\n")
                               << QByteArray("ray.sub line 2: --array=1-4 cannot be used");
        QTest::newRow("not a script") << QByteArray("$COMMAND\n") << QByteArray("ray.sub: not a script");
    }
    void theUsersScriptIsCheckedBeforeTheQueue()
    {
        QFETCH(QByteArray, script);
        QFETCH(QByteArray, error);
        SlurmRun run("checked");
        LOCKSTEP_NEED_SLURM(run);
        run.launcher().batchScript = "ray.sub";
        if (!script.isEmpty()) run.login().write("ray.sub", script.toStdString());
        LockstepProcess process = run.site().run();
        QCOMPARE(statusOf(process, 3), 3);
        QVERIFY2(process.errors().contains(error), process.errors().constData());
        QCOMPARE(run.queue(), QString());
    }

    // Nothing of the login node's environment reaches the job; the plan's settings and the watching do.
    void jobsWithoutAnEnvironmentAreWatched()
    {
        SlurmRun run("none");
        LOCKSTEP_NEED_SLURM(run);
        run.login().write("ray.sub", "#!/bin/bash\n#SBATCH --export=NONE\n#SBATCH --wait\n"
                                     "/usr/bin/srun --export=ALL bash -c \"$COMMAND\"\n");
        run.launcher().batchScript = "ray.sub";
        LockstepProcess process = run.site().run();
        QCOMPARE(statusOf(process), 0);
        QCOMPARE(process.verifiedFiles(), size_t(4));
    }

    void componentsOfAHeterogeneousJobAreWatched()
    {
        SlurmRun run("hetero", 2);
        LOCKSTEP_NEED_SLURM(run);
        run.login().write(
            "two.sub",
            "#!/bin/bash\n#SBATCH --nodes=1 --exclusive\n#SBATCH hetjob\n#SBATCH --nodes=1 --exclusive\n"
            "srun --het-group=0,1 bash -c \"$COMMAND\"\n");
        run.launcher().batchScript = "two.sub";
        run.launcher().slurmOptions.clear();
        LockstepProcess process = run.site().run();
        QCOMPARE(statusOf(process), 0);
        for (const char* node : {"node0", "node1"})
            QVERIFY2(std::filesystem::exists(run.runFolder(process.runId(), node) / "events.jsonl"), node);
        QCOMPARE(process.verifiedFiles(), size_t(4));
    }

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
            QVERIFY(waitFor([&] { return run.queue().isEmpty(); }, 90'000));
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

    // What the login node has under the same name is another file.
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
        QVERIFY(waitFor([&] { return run.queue().isEmpty(); }));
        std::filesystem::rename(run.disk(), run.disk().string() + " of the node");
        std::filesystem::create_directories(run.disk());
        std::ofstream(run.disk() / "rank0_step1.json") << R"({"traceEvents": []})";
        LockstepProcess second = run.site().attach(first.runId());
        QCOMPARE(statusOf(second, 3), 3);
        QCOMPARE(second.verifiedFiles(), size_t(0));
        const QByteArray errors = second.errors();
        QVERIFY2(errors.contains(("on the own disk of node " + node).c_str()), errors.constData());
        QVERIFY2(errors.contains("rank0_step1.json"), errors.constData());
    }

    // Nobody collects, and the job ends all the same: its reports are on a disk that the login node shares.
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
        QVERIFY(waitFor([&] { return run.queue().isEmpty(); }, 90'000));
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
        std::filesystem::remove_all(run.disk()); // what is collected below is of the second start
        run.release();
        run.slurm().told("scontrol", {"update", job, "StartTime=now"});
        // Complete reports, but nothing of the nodes' GPUs and clocks.
        QCOMPARE(statusOf(process, 3), 3);
        QCOMPARE(process.verifiedFiles(), size_t(4));
        QVERIFY2(process.errors().contains("node0: the job was requeued: "), process.errors().constData());
    }

    void causesComeFirstAndOnce_data()
    {
        QTest::addColumn<QStringList>("end");
        QTest::addColumn<QByteArray>("cause");
        QTest::newRow("scancel") << QStringList{"scancel", "JOB"}
                                 << QByteArray("ended: canceled by somebody else (CANCELLED)");
        QTest::newRow("time limit") << QStringList{"scontrol", "update", "JobId=JOB", "EndTime=now"}
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

LOCKSTEP_TEST(SlurmStatesTest, "slurm_states_test")
#include "slurm_states_test.moc"
