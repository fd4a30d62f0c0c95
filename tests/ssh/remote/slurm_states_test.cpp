// SPDX-License-Identifier: Apache-2.0
// Tests a real Slurm with pending jobs, an unreachable controller and a wrapped sbatch: Lockstep reports what
// Slurm answered.
#include "tests/support/slurm_run.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

QString lastReason(const LockstepProcess& process)
{
    const auto lines = process.linesWhere(lineOf("host", "node0"));
    return lines.empty() ? QString() : lines.back()["reason"].toString();
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
        QVERIFY(waitForError(process, "is pending: held by its owner (JobHeldUser); run scontrol release"));
        LockstepProcess stop(run.site().site().environment(), {"--stop", process.runId()});
        QCOMPARE(stop.waitForEnd(), 0);
        QCOMPARE(run.queue("%i %T"), QString()); // Slurm agrees when the run is reported as stopped
        QVERIFY(process.waitForEnd() >= 0);
        QCOMPARE(lastReason(process), "stopped as requested");
    }

    void pendingReasonsAreReportedAsTheyChange()
    {
        SlurmRun run("waiting");
        LOCKSTEP_NEED_SLURM(run);
        run.slurm().told("scontrol", {"update", "PartitionName=all", "State=down"});
        run.launcher().slurmOptions.push_back("--begin=now+1hour");
        LockstepProcess process = run.site().run();
        QVERIFY(waitForState(process, "pending"));
        QVERIFY(waitForError(process, "begin time is in the future (BeginTime); expected start "));
        const QString job = run.queue();
        run.slurm().told("scontrol", {"update", "JobId=" + job, "StartTime=now"});
        QVERIFY(waitForError(process, "its partition is down (PartitionDown)"));
        // Another program that watches the run shows the same.
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
        QVERIFY(waitForError(first, "Slurm has not responded since "));
        first.kill();
        first.waitForEnd();
        LockstepProcess second = run.site().attach(first.runId());
        QVERIFY(waitForError(second, "Slurm has not responded since "));
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
        row("nothing submitted", "echo done", 3, "sbatch printed no job ID: done");
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
        QVERIFY(waitUntil([&] { return run.queue().isEmpty(); }));
    }

    void theUsersScriptIsCheckedBeforeTheQueue_data()
    {
        QTest::addColumn<QByteArray>("script"); // empty: none
        QTest::addColumn<QByteArray>("error");
        QTest::newRow("missing") << QByteArray() << QByteArray("ray.sub: cannot read the batch script");
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

    // Nothing of the login node's environment reaches the job, but the plan's settings and the supervision
    // do.
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
};

LOCKSTEP_TEST(SlurmStatesTest, "slurm_states_test")
#include "slurm_states_test.moc"
