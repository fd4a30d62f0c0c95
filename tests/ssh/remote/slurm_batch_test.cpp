// SPDX-License-Identifier: Apache-2.0
// A batch as a job array of a real Slurm: 200 reports in 8 tasks on two nodes, what happens to tasks and
// nodes meanwhile, and the same tables as one process.
#include <csignal>
#include <memory>

#include "tests/support/batch_site.h"
#include "tests/support/slurm_site.h"
#include "tests/support/ssh_site.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

constexpr int kReports = 200;
const QStringList kWords{"inventory,cuda_gpu_kern_sum,stragglers", "--format", "json", "reports"};

QStringList linesOf(const std::string& text)
{
    return QString::fromStdString(text).split('\n', Qt::SkipEmptyParts);
}

} // namespace

class SlurmBatchTest : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() { m_slurm = std::make_unique<SlurmSite>(m_folder.path() / "slurm", 2); }
    void cleanupTestCase() { m_slurm.reset(); }

    // One task is canceled while it reads, its node drained: the other node makes what it left.
    void canceledTaskAndDrainedNode()
    {
        BatchSite site;
        if (!prepare(site)) QSKIP(m_slurm->problem().c_str());
        site.hold(true);
        const auto process = site.start({"--batch", "plan.yaml"});
        QVERIFY(waitFor(
            [&] { return site.isHeld() && site.resultCount() == kReports - 1 && running().size() == 1; }));
        const QStringList task = running().front().split(' ');
        QCOMPARE(task.size(), 2);
        QVERIFY2(task[0].contains('_'), qPrintable(task[0]));
        m_slurm->told("scontrol", {"update", "NodeName=" + task[1], "State=DRAIN", "Reason=test"});
        m_slurm->told("scancel", {task[0]});
        QVERIFY(waitFor([&] { return !running().contains(task.join(' ')); }));
        site.hold(false);
        QVERIFY(process->waitForFinished(60'000));
        const QByteArray said = process->readAllStandardError();
        m_slurm->told("scontrol", {"update", "NodeName=" + task[1], "State=RESUME"});
        QVERIFY2(process->exitCode() == 0, said);
        QVERIFY2(said.contains("1 of its 25 reports undone: CANCELLED; it is tried again"), said);
        QVERIFY(site.tables() == site.exported(kWords));
        const std::string account = contentOf(site.folder() / "out/batch.json");
        const size_t held = account.find("z.nsys-rep");
        const std::string ofHeld = account.substr(held, account.find('}', held) - held);
        const QString other = task[1] == "node0" ? "node1" : "node0";
        QVERIFY2(ofHeld.find("\"host\": \"" + other.toStdString() + "\"") != std::string::npos,
                 ofHeld.c_str());
        QVERIFY(account.find("\"tasks_run\": 9") != std::string::npos);
    }

    // The array belongs to Slurm: it goes on without whoever submitted it, and the next start waits for it.
    void killedParentIsGoneOnWith()
    {
        BatchSite site;
        if (!prepare(site)) QSKIP(m_slurm->problem().c_str());
        site.hold(true);
        const auto process = site.start({"--batch", "plan.yaml"});
        QVERIFY(waitFor(
            [&] { return site.isHeld() && site.resultCount() == kReports - 1 && running().size() == 1; }));
        process->kill();
        QVERIFY(process->waitForFinished(10'000));
        const auto next = site.start({"--batch", "plan.yaml"});
        QByteArray said;
        QVERIFY(waitFor([&] {
            said += next->readAllStandardError();
            return said.contains("of an earlier start still has 1 task under way");
        }));
        site.hold(false);
        QVERIFY(next->waitForFinished(60'000));
        said += next->readAllStandardError();
        QVERIFY2(next->exitCode() == 0, said);
        QVERIFY2(said.contains("of 200 reports 200 are done, 0 changed, 0 are new"), said);
        QVERIFY(site.tables() == site.exported(kWords));
        QVERIFY(contentOf(site.folder() / "out/batch.json").find("\"tasks_run\": 0") != std::string::npos);
    }

    void interruptCancelsTheArray()
    {
        BatchSite site;
        if (!prepare(site)) QSKIP(m_slurm->problem().c_str());
        site.hold(true);
        const auto process = site.start({"--batch", "plan.yaml"});
        QVERIFY(waitFor([&] { return site.isHeld(); }));
        ::kill(static_cast<pid_t>(process->processId()), SIGINT);
        QVERIFY(process->waitForFinished(30'000));
        QCOMPARE(process->exitCode(), 130);
        QVERIFY(waitFor([&] { return running().isEmpty(); }));
        QVERIFY(site.tables().empty());
    }

    void whatSlurmRefusesIsTold()
    {
        BatchSite site;
        if (!prepare(site)) QSKIP(m_slurm->problem().c_str());
        site.writePlan("launcher: slurm\nslurm: {partition: none-such}\n");
        const ProgramRun run = site.batch();
        QCOMPARE(run.status, 1);
        QVERIFY2(run.errors.contains("invalid partition specified: none-such"), run.errors);
    }

  private:
    // False where there is no Slurm.
    bool prepare(BatchSite& site) const
    {
        if (!m_slurm->problem().empty()) return false;
        for (int i = 0; i < kReports - 1; ++i)
            site.addTrace("reports/rank" + std::to_string(1000 + i) + ".json", i);
        site.addRecording("reports/z.nsys-rep");
        site.setEnvironment("SLURM_CONF", QString::fromStdString(m_slurm->configFile().string()));
        site.plan =
            "inputs: [reports]\nexport: [inventory, cuda_gpu_kern_sum, stragglers]\nformat: json\noutput: out\n";
        site.writePlan(
            "launcher: slurm\ntasks: 8\nslurm: {partition: all, time: 10, options: [--cpus-per-task=1]}\n");
        return true;
    }
    // "JOB_TASK NODE" of each task under way.
    QStringList running() const { return linesOf(m_slurm->told("squeue", {"-h", "-r", "-o", "%i %N"})); }

    TempDir m_folder;
    std::unique_ptr<SlurmSite> m_slurm;
};

LOCKSTEP_TEST(SlurmBatchTest, "slurm_batch_test")
#include "slurm_batch_test.moc"
