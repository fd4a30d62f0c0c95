// SPDX-License-Identifier: Apache-2.0
// Tests a batch as a job array of a real Slurm on two nodes: failures of tasks and nodes, and the same tables
// as one process.
#include <csignal>
#include <memory>

#include "tests/support/slurm_batch_site.h"
#include "tests/support/small_disk.h"
#include "tests/support/ssh_site.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

class SlurmBatchTest : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() { m_site = std::make_unique<SlurmBatchSite>(m_folder.path() / "slurm"); }
    void cleanupTestCase() { m_site.reset(); }
    void cleanup() { QVERIFY(m_site->endJobs()); }

    // One task is canceled while it reads and its node is drained: the other node does the remaining work.
    void canceledTaskAndDrainedNode()
    {
        BatchSite site;
        if (!m_site->prepare(site)) QSKIP(m_site->slurm().problem().c_str());
        site.hold(true);
        const auto process = site.start({"--batch", "plan.yaml"});
        QVERIFY(waitUntil([&] {
            return site.isHeld() && site.resultCount() == SlurmBatchSite::kReports - 1 &&
                   m_site->running().size() == 1;
        }));
        const QStringList task = m_site->running().front().split(' ');
        QCOMPARE(task.size(), 2);
        QVERIFY2(task[0].contains('_'), qPrintable(task[0]));
        m_site->slurm().told("scontrol", {"update", "NodeName=" + task[1], "State=DRAIN", "Reason=test"});
        m_site->slurm().told("scancel", {task[0]});
        QVERIFY(waitUntil([&] { return !m_site->running().contains(task.join(' ')); }));
        site.hold(false);
        QVERIFY(process->waitForFinished(kPatience_ms));
        const QByteArray said = process->readAllStandardError();
        m_site->slurm().told("scontrol", {"update", "NodeName=" + task[1], "State=RESUME"});
        QVERIFY2(process->exitCode() == 0, said);
        QVERIFY2(said.contains(" on " + task[1].toUtf8() +
                               " did not finish 1 of its 25 reports: canceled outside Lockstep (CANCELLED); "
                               "retrying"),
                 said);
        QVERIFY(site.tables() == site.exported(kSlurmBatchWords));
        const std::string account = contentOf(site.folder() / "out/batch.json");
        const size_t held = account.find("z.nsys-rep");
        const std::string ofHeld = account.substr(held, account.find('}', held) - held);
        const QString other = task[1] == "node0" ? "node1" : "node0";
        QVERIFY2(ofHeld.find("\"host\": \"" + other.toStdString() + "\"") != std::string::npos,
                 ofHeld.c_str());
        QVERIFY(account.find("\"tasks_run\": 9") != std::string::npos);
    }

    // The array belongs to Slurm: it continues without the program that submitted it, and the next start
    // waits for it.
    void killedParentIsContinued()
    {
        BatchSite site;
        if (!m_site->prepare(site)) QSKIP(m_site->slurm().problem().c_str());
        site.hold(true);
        const auto process = site.start({"--batch", "plan.yaml"});
        QVERIFY(waitUntil([&] {
            return site.isHeld() && site.resultCount() == SlurmBatchSite::kReports - 1 &&
                   m_site->running().size() == 1;
        }));
        process->kill();
        QVERIFY(process->waitForFinished(kPatience_ms));
        const auto next = site.start({"--batch", "plan.yaml"});
        QByteArray said;
        QVERIFY(waitUntil([&] {
            said += next->readAllStandardError();
            return said.contains("of an earlier launch still has unfinished tasks (1)");
        }));
        site.hold(false);
        QVERIFY(next->waitForFinished(kPatience_ms));
        said += next->readAllStandardError();
        QVERIFY2(next->exitCode() == 0, said);
        QVERIFY2(said.contains("200 reports, of which 200 done, 0 changed, 0 new"), said);
        QVERIFY(site.tables() == site.exported(kSlurmBatchWords));
        QVERIFY(contentOf(site.folder() / "out/batch.json").find("\"tasks_run\": 0") != std::string::npos);
    }

    void interruptCancelsTheArray()
    {
        BatchSite site;
        if (!m_site->prepare(site)) QSKIP(m_site->slurm().problem().c_str());
        site.hold(true);
        const auto process = site.start({"--batch", "plan.yaml"});
        QVERIFY(waitUntil([&] { return site.isHeld(); }));
        ::kill(static_cast<pid_t>(process->processId()), SIGINT);
        QVERIFY(process->waitForFinished(kPatience_ms));
        QCOMPARE(process->exitCode(), 130);
        QVERIFY(waitUntil([&] { return m_site->running().isEmpty(); }));
        QVERIFY(site.tables().empty());
    }

    // The reason why tasks wait is printed when it changes, and not again while it stays the same.
    // Environment variables that filter the queue hide nothing.
    void pendingReasons()
    {
        BatchSite site;
        if (!m_site->prepare(site, 4)) QSKIP(m_site->slurm().problem().c_str());
        site.setEnvironment("SQUEUE_STATES", "RUNNING");
        site.writePlan("launcher: slurm\ntasks: 4\nslurm: {options: [--begin=now+1hour]}\n");
        const auto process = site.start({"--batch", "plan.yaml"});
        QByteArray said;
        QVERIFY2(waitForText(
                     *process, said,
                     ": 4 tasks are pending: its begin time is in the future (BeginTime); expected start "),
                 said);
        const QString job = jobOf(site);
        m_site->slurm().told("scontrol", {"uhold", job});
        QVERIFY2(waitForText(*process, said,
                             "held by its owner (JobHeldUser); run scontrol release " + job.toUtf8() +
                                 " to release it\n"),
                 said);
        m_site->slurm().told("scontrol", {"release", job});
        m_site->slurm().told("scontrol", {"update", "JobId=" + job, "StartTime=now"});
        QVERIFY2(exitOf(*process, said) == 0, said);
        QCOMPARE(said.count("(JobHeldUser)"), 1);
        QVERIFY(site.tables() == site.exported(kSlurmBatchWords));
        QVERIFY(!std::filesystem::exists(site.folder() / "out/.batch/job.json"));
    }

    // Tasks die on one node: the next attempt avoids the node, unless Slurm has no other.
    void failingNode_data()
    {
        QTest::addColumn<bool>("isRefused");
        QTest::newRow("excluded") << false;
        QTest::newRow("refused") << true;
    }
    void failingNode()
    {
        QFETCH(bool, isRefused);
        BatchSite site;
        if (!m_site->prepare(site, 0)) QSKIP(m_site->slurm().problem().c_str());
        for (int i = 0; i < 20; ++i)
            site.addRecording("reports/r" + std::to_string(100 + i) + ".nsys-rep", std::to_string(i));
        site.writePlan("launcher: slurm\nreports_per_task: 1\nretries: 1\n");
        if (isRefused)
            site.addProgram("sbatch",
                            "case \"$*\" in *--exclude=node0*)\n    rm FOLDER/kill-node\n"
                            "    echo 'sbatch: error: Batch job submission failed: Requested node "
                            "configuration is not available' >&2\n    exit 1\nesac\nexec REAL \"$@\"\n");
        site.killCallersOn("node0");
        const ProgramRun run = site.batch();
        QVERIFY2(run.status == 0, run.errors);
        QVERIFY2(run.errors.contains(" on node0 did not finish 1 of its 1 report: "), run.errors);
        QVERIFY2(run.errors.contains("lockstep: node0 is excluded from the next try: "), run.errors);
        QVERIFY2(run.errors.contains(" tasks failed on it, and none succeeded\n"), run.errors);
        QCOMPARE(run.errors.contains("Slurm rejected the tasks without the excluded nodes (sbatch: Batch job "
                                     "submission failed: Requested node configuration is not available)"),
                 isRefused);
        const std::string account = contentOf(site.folder() / "out/batch.json");
        QCOMPARE(account.find("\"host\": \"node0\"") == std::string::npos, !isRefused);
        QVERIFY(site.tables() == site.exported(kSlurmBatchWords));
    }

    void failedNodeIsExcluded()
    {
        BatchSite site;
        if (!m_site->prepare(site, 0)) QSKIP(m_site->slurm().problem().c_str());
        for (int i = 0; i < 6; ++i)
            site.addRecording("reports/r" + std::to_string(i) + ".nsys-rep", std::to_string(i));
        site.writePlan("launcher: slurm\nreports_per_task: 1\nretries: 1\n");
        site.hold(true);
        const auto process = site.start({"--batch", "plan.yaml"});
        const auto isOnBoth = [this] {
            const QString tasks = m_site->running().join('\n');
            return tasks.contains(" node0") && tasks.contains(" node1");
        };
        QVERIFY(waitUntil([&] { return site.isHeld() && isOnBoth(); }));
        m_site->slurm().told("scontrol", {"update", "NodeName=node1", "State=DOWN", "Reason=test"});
        QVERIFY(waitUntil([this] { return !m_site->running().join('\n').contains(" node1"); }));
        site.hold(false);
        QByteArray said;
        const int status = exitOf(*process, said);
        m_site->slurm().told("scontrol", {"update", "NodeName=node1", "State=RESUME"});
        QVERIFY2(status == 0, said);
        QVERIFY2(
            said.contains("on node1 did not finish 1 of its 1 report: one of its nodes failed (NODE_FAIL)"),
            said);
        QVERIFY2(
            said.contains("node1 is excluded from the next try: Slurm reported that it failed (NODE_FAIL)"),
            said);
        QVERIFY(site.tables() == site.exported(kSlurmBatchWords));
    }

    // Slurm is queried for the maximum array size, or its refusals reveal it.
    void arrayLimit_data()
    {
        QTest::addColumn<bool>("isAsked");
        QTest::newRow("queried") << true;
        QTest::newRow("refused") << false;
    }
    void arrayLimit()
    {
        QFETCH(bool, isAsked);
        BatchSite site;
        if (!m_site->prepare(site, 8)) QSKIP(m_site->slurm().problem().c_str());
        const TempDir folder;
        const SlurmSite slurm(folder.path() / "slurm", 1, "MaxArraySize=5\n");
        QVERIFY2(slurm.problem().empty(), slurm.problem().c_str());
        site.setEnvironment("SLURM_CONF", QString::fromStdString(slurm.configFile().string()));
        site.writePlan("launcher: slurm\ntasks: 8\n");
        if (!isAsked) site.addProgram("scontrol", "[ \"$2\" = config ] && exit 1\nexec REAL \"$@\"\n");
        const ProgramRun run = site.batch();
        QVERIFY2(run.status == 0, run.errors);
        const QByteArray text =
            isAsked
                ? "Slurm allows at most 5 tasks per array; combining 8 tasks into 5"
                : "Slurm rejected an array of 8 tasks (sbatch: Batch job submission failed: Invalid job array "
                  "specification); submitting 4 instead";
        QVERIFY2(run.errors.contains(text), run.errors);
        const std::string account = contentOf(site.folder() / "out/batch.json");
        QVERIFY(account.find(isAsked ? "\"tasks_run\": 5" : "\"tasks_run\": 4") != std::string::npos);
        QVERIFY(site.tables() == site.exported(kSlurmBatchWords));
    }

    void fullDisk()
    {
        BatchSite site;
        if (!m_site->prepare(site, 0)) QSKIP(m_site->slurm().problem().c_str());
        for (int rank = 0; rank < 12; ++rank)
            site.addTrace("reports/rank" + std::to_string(rank) + ".json", rank, 2'000);
        site.writePlan("launcher: slurm\ntasks: 4\n");
        const SmallDisk disk(site.folder() / "out", "600k");
        if (!disk.isMounted) QSKIP("this user may not mount");
        const ProgramRun run = site.batch();
        QVERIFY2(run.status == 1, run.errors);
        QCOMPARE(run.errors.count("disk full (No space left on device)"), 1);
        QVERIFY2(!run.errors.contains("retrying"), run.errors);
        QVERIFY(site.tables().empty());
        QVERIFY(waitUntil([&] { return m_site->running().isEmpty(); }));
    }

    void refusedSubmission()
    {
        BatchSite site;
        if (!m_site->prepare(site, 1)) QSKIP(m_site->slurm().problem().c_str());
        site.writePlan("launcher: slurm\nslurm: {partition: none-such}\n");
        const ProgramRun run = site.batch();
        QCOMPARE(run.status, 1);
        QVERIFY2(run.errors.contains("invalid partition specified: none-such"), run.errors);
        QVERIFY(!std::filesystem::exists(site.folder() / "out/.batch/job.json"));
    }

  private:
    TempDir m_folder;
    std::unique_ptr<SlurmBatchSite> m_site;
};

LOCKSTEP_TEST(SlurmBatchTest, "slurm_batch_test")
#include "slurm_batch_test.moc"
