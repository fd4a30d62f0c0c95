// SPDX-License-Identifier: Apache-2.0
// Tests a batch in a real Slurm whose controller or sbatch does not answer: the array is neither lost nor
// submitted twice.
#include <csignal>
#include <memory>

#include "tests/support/slurm_batch_site.h"
#include "tests/support/ssh_site.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

class SlurmBatchAwayTest : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() { m_site = std::make_unique<SlurmBatchSite>(m_folder.path() / "slurm"); }
    void cleanupTestCase() { m_site.reset(); }
    void cleanup() { QVERIFY(m_site->endJobs()); }

    // An unreachable controller is not the end of the tasks, for the batch and for the next start.
    void unreachableController()
    {
        BatchSite site;
        if (!m_site->prepare(site, 4)) QSKIP(m_site->slurm().problem().c_str());
        site.hold(true);
        const auto process = site.start({"--batch", "plan.yaml"});
        QVERIFY(waitUntil([&] { return site.isHeld() && m_site->running().size() == 1; }));
        const QString job = jobOf(site);
        m_site->slurm().stopController();
        QByteArray said;
        QVERIFY2(waitForText(*process, said, "; waiting for its response about job " + job.toUtf8()), said);
        QVERIFY2(said.contains("Slurm has not responded since ") &&
                     said.contains("(squeue: Unable to contact slurm controller"),
                 said);
        process->kill();
        QVERIFY(process->waitForFinished(kPatience_ms));
        const auto next = site.start({"--batch", "plan.yaml"});
        said.clear();
        QVERIFY2(waitForText(*next, said, "; waiting for its response about job " + job.toUtf8()), said);
        QCOMPARE(jobOf(site), job);
        QVERIFY(m_site->slurm().startController());
        QVERIFY2(waitForText(*next, said, "Slurm is responding again"), said);
        QVERIFY2(waitForText(*next, said, "of an earlier launch still has unfinished tasks (1)"), said);
        site.hold(false);
        QVERIFY2(exitOf(*next, said) == 0, said);
        QCOMPARE(said.count("has not responded"), 1);
        QVERIFY(site.tables() == site.exported(kSlurmBatchWords));
        QVERIFY(contentOf(site.folder() / "out/batch.json").find("\"tasks_run\": 0") != std::string::npos);
    }

    // Ctrl-C ends the batch although nothing confirms that the array is canceled.
    void interruptWithAnUnreachableController()
    {
        BatchSite site;
        if (!m_site->prepare(site, 2)) QSKIP(m_site->slurm().problem().c_str());
        site.hold(true);
        const auto process = site.start({"--batch", "plan.yaml"});
        QVERIFY(waitUntil([&] { return site.isHeld() && m_site->running().size() == 1; }));
        const QByteArray job = jobOf(site).toUtf8();
        m_site->slurm().stopController();
        QByteArray said;
        QVERIFY2(waitForText(*process, said, "has not responded since"), said);
        ::kill(static_cast<pid_t>(process->processId()), SIGINT);
        QVERIFY(process->waitForFinished(kPatience_ms));
        QCOMPARE(exitOf(*process, said), 130);
        QVERIFY2(said.contains("; job " + job + " may still run. Cancel it with: scancel " + job), said);
        QCOMPARE(jobOf(site).toUtf8(), job);
        QVERIFY(m_site->slurm().startController());
        QVERIFY(waitUntil([&] { return m_site->running().size() == 1; }));
        site.hold(false);
        const ProgramRun next = site.batch();
        QVERIFY2(next.status == 0, next.errors);
        QVERIFY2(!next.errors.contains("submitted") && site.tables() == site.exported(kSlurmBatchWords),
                 next.errors);
    }

    // An sbatch without an answer may have submitted; a site prints lines around the id.
    void answersOfSbatch_data()
    {
        QTest::addColumn<QString>("script");
        QTest::newRow("timed out")
            << "REAL \"$@\" > /dev/null\necho 'sbatch: error: Batch job submission failed: "
               "Socket timed out on send/recv operation' >&2\nexit 1\n";
        QTest::newRow("no id") << "REAL \"$@\" > /dev/null\n";
        QTest::newRow("other lines") << "echo 'sbatch: lua: 2 GPUs'\nREAL \"$@\"\necho 'Thank you.'\n";
    }
    void answersOfSbatch()
    {
        QFETCH(QString, script);
        BatchSite site;
        if (!m_site->prepare(site, 4)) QSKIP(m_site->slurm().problem().c_str());
        site.addProgram("sbatch", "echo run >> FOLDER/submissions\n" + script.toStdString());
        site.hold(true); // so that the array exists while it is searched for
        const auto process = site.start({"--batch", "plan.yaml"});
        QByteArray said;
        QVERIFY2(waitForText(*process, said, ": 4 tasks\n"), said);
        site.hold(false);
        QVERIFY2(exitOf(*process, said) == 0, said);
        QCOMPARE(contentOf(site.folder() / "submissions"), std::string("run\n"));
        QVERIFY(site.tables() == site.exported(kSlurmBatchWords));
    }

    // Killed before sbatch had answered: the next start finds the array by its script.
    void killedDuringSubmission()
    {
        BatchSite site;
        if (!m_site->prepare(site, 4)) QSKIP(m_site->slurm().problem().c_str());
        site.addProgram("sbatch", "echo run >> FOLDER/submissions\nREAL \"$@\" > FOLDER/job\n"
                                  "mv FOLDER/job FOLDER/submitted\n"
                                  "while [ -e FOLDER/hold ]; do sleep 0.02; done\n");
        site.hold(true);
        const auto process = site.start({"--batch", "plan.yaml"});
        QVERIFY(waitUntil([&] { return std::filesystem::exists(site.folder() / "submitted"); }));
        process->kill();
        QVERIFY(process->waitForFinished(kPatience_ms));
        QVERIFY(jobOf(site).isEmpty());
        const auto next = site.start({"--batch", "plan.yaml"});
        const QByteArray job = lineListOf(contentOf(site.folder() / "submitted")).value(0).toUtf8();
        QByteArray said;
        QVERIFY2(waitForText(*next, said, "job " + job + " of an earlier launch still has "), said);
        QCOMPARE(jobOf(site).toUtf8(), job);
        site.hold(false);
        QVERIFY2(exitOf(*next, said) == 0, said);
        QCOMPARE(contentOf(site.folder() / "submissions"), std::string("run\n"));
        QVERIFY(site.tables() == site.exported(kSlurmBatchWords));
    }

    // Ctrl-C before sbatch has answered still cancels the array.
    void interruptDuringSubmission()
    {
        BatchSite site;
        if (!m_site->prepare(site, 2)) QSKIP(m_site->slurm().problem().c_str());
        site.addProgram("sbatch", "REAL \"$@\" > /dev/null\n: > FOLDER/submitted\n"
                                  "while [ -e FOLDER/hold ]; do sleep 0.02; done\n");
        site.hold(true);
        const auto process = site.start({"--batch", "plan.yaml"});
        QVERIFY(waitUntil([&] {
            return std::filesystem::exists(site.folder() / "submitted") && !m_site->running().isEmpty();
        }));
        ::kill(static_cast<pid_t>(process->processId()), SIGINT);
        QByteArray said;
        QCOMPARE(exitOf(*process, said), 130);
        QVERIFY2(!said.contains("may"), said);
        QVERIFY(!jobOf(site).isEmpty());
        QVERIFY(waitUntil([&] { return m_site->running().isEmpty(); }));
    }

  private:
    TempDir m_folder;
    std::unique_ptr<SlurmBatchSite> m_site;
};

LOCKSTEP_TEST(SlurmBatchAwayTest, "slurm_batch_away_test")
#include "slurm_batch_away_test.moc"
