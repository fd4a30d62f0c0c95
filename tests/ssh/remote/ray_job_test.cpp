// SPDX-License-Identifier: Apache-2.0
// Tests `launcher: ray_job` over ssh: a job submitted with a stand-in for `ray`, followed to its end. Its
// output and state are in the run's events, and its reports are collected and verified.
#include <QElapsedTimer>

#include "tests/support/ray_site.h"
#include "tests/support/run_site.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;

namespace {

constexpr const char* kAddress = "http://head:8265";

// A head node with the training program, and `ray` in its PATH.
class RayRunSite : public RunSite {
  public:
    explicit RayRunSite(const std::string& name) : RunSite({"head"}), m_ray(site().folder() / "ray")
    {
        if (!site().problem().empty()) return;
        node(0).setEnvironment("PATH", m_ray.path());
        config().name = name;
        config().launcher.kind = LauncherKind::rayJob;
        config().launcher.rayAddress = kAddress;
        config().workingFolder = node(0).home().string();
    }

    const RaySite& ray() const { return m_ray; }
    // Returns Ray's state of the only job; "" without a job.
    std::string jobState() const
    {
        const auto jobs = m_ray.jobs();
        return jobs.size() == 1 ? m_ray.state(jobs.front()) : std::string();
    }
    // The program's commands, one after another.
    void runs(const std::string& script) { config().command = {"bash", "-c", script}; }

  private:
    RaySite m_ray;
};

// Describes everything that a failed check needs.
QByteArray account(LockstepProcess& process)
{
    QByteArray all = process.errors();
    for (const QJsonObject& line : process.lines())
        all += QJsonDocument(line).toJson(QJsonDocument::Compact).left(400) + '\n';
    return all;
}

QJsonObject lastHost(const LockstepProcess& process)
{
    const auto lines = process.linesWhere(lineOf("host", "node0"));
    return lines.empty() ? QJsonObject() : lines.back();
}

LockstepProcess::Match withText(const QString& kind, const QString& text)
{
    return lineOf(kind, "node0",
                  [text](const QJsonObject& line) { return line["text"].toString().contains(text); });
}

LockstepProcess::Match jobIn(const QString& phase)
{
    return lineOf("job", "node0", [phase](const QJsonObject& line) { return line["phase"] == phase; });
}

} // namespace

class RayJobTest : public QObject {
    Q_OBJECT

  private slots:
    void jobIsFollowedAndCollected()
    {
        RayRunSite site("followed");
        LOCKSTEP_NEED_SITE(site);
        site.hold(0, 1);
        LockstepProcess process = site.run();
        QVERIFY2(process.waitForLine(withText("stdout", "step:1 - loss:0.5")), account(process).constData());
        QCOMPARE(site.jobState(), "RUNNING"); // the output arrives while the job runs
        site.release(0, 1);
        const int status = process.waitForEnd();
        QVERIFY2(status == 0, account(process).constData());
        QCOMPARE(process.verifiedFiles(), size_t(4));
        QVERIFY(!process.linesWhere(lineOf("step", "node0")).empty());
        QVERIFY(!process.linesWhere(withText("stdout", "step:2 - loss:0.5")).empty());
        QVERIFY(!process.linesWhere(jobIn("running")).empty());
        const auto ended = process.linesWhere(jobIn("ended"));
        QVERIFY(!ended.empty());
        QCOMPARE(ended.back()["state"].toString(), "SUCCEEDED");
        QCOMPARE(ended.back()["job"].toString().toStdString(), site.ray().jobs().front());
        // The output contains none of Ray's own lines.
        QVERIFY(process.linesWhere(withText("stdout", "cli.py")).empty());
    }

    void failedJobReportsRaysMessage()
    {
        RayRunSite site("failed");
        LOCKSTEP_NEED_SITE(site);
        site.runs("python3 train.py 2; echo no memory >&2; exit 3");
        LockstepProcess process = site.run();
        const int status = process.waitForEnd();
        QVERIFY2(status == 3, account(process).constData());
        QCOMPARE(process.verifiedFiles(), size_t(4));
        QCOMPARE(lastHost(process)["state"].toString(), "failed");
        QVERIFY2(process.errors().contains("Job entrypoint command failed with exit code 3"),
                 process.errors().constData());
        QVERIFY(!process.linesWhere(withText("stdout", "no memory")).empty()); // Ray's log has both streams
    }

    void stopEndsTheJob()
    {
        RayRunSite site("stopped");
        LOCKSTEP_NEED_SITE(site);
        site.hold(0, 2);
        LockstepProcess process = site.run();
        QVERIFY2(process.waitForLine(withText("stdout", "step:2 - loss:0.5")), account(process).constData());
        LockstepProcess stop(site.site().environment(), {"--stop", process.runId(), "--grace", "20"});
        QCOMPARE(stop.waitForEnd(), 0);
        const int status = process.waitForEnd();
        QVERIFY2(status == 3, account(process).constData());
        QCOMPARE(site.jobState(), "STOPPED");
        QCOMPARE(process.verifiedFiles(), size_t(4));
        const auto ended = process.linesWhere(jobIn("ended"));
        QVERIFY(!ended.empty());
        QCOMPARE(ended.back()["text"].toString(), "stopped as requested");
        QVERIFY(waitUntil([&] { return site.node(0).processes("train.py").empty(); }));
    }

    void refusedSubmission()
    {
        RayRunSite site("refused");
        LOCKSTEP_NEED_SITE(site);
        site.ray().set("refuse");
        LockstepProcess process = site.run();
        const int status = process.waitForEnd();
        QVERIFY2(status == 3, account(process).constData());
        QVERIFY2(process.errors().contains("Failed to connect to Ray at address: http://head:8265"),
                 process.errors().constData());
        QCOMPARE(lastHost(process)["state"].toString(), "failed");
        QVERIFY(site.ray().jobs().empty());
    }

    // The submission is not answered within its 15 s; the job that was created is still found.
    void submissionWithoutAnAnswer()
    {
        RayRunSite site("unanswered");
        LOCKSTEP_NEED_SITE(site);
        site.ray().set("hang_submit", "after");
        site.ray().set("slow_status", "3"); // otherwise the silence is over before the supervisor reads it
        site.hold(0, 1);
        LockstepProcess process = site.run();
        QVERIFY2(process.waitForLine(lineOf("job", "node0",
                                            [](const QJsonObject& line) {
                                                return line["silence"].toString().contains(
                                                    "ray job submit did not respond within 15 s");
                                            })),
                 account(process).constData());
        QVERIFY2(process.waitForLine(jobIn("running")), account(process).constData());
        site.release(0, 1);
        const int status = process.waitForEnd();
        QVERIFY2(status == 0, account(process).constData());
        QCOMPARE(process.verifiedFiles(), size_t(4));
        QCOMPARE(site.ray().jobs().size(), size_t(1));
    }

    void serverThatDoesNotAnswer()
    {
        RayRunSite site("away");
        LOCKSTEP_NEED_SITE(site);
        site.hold(0, 1);
        LockstepProcess process = site.run();
        QVERIFY2(process.waitForLine(withText("stdout", "step:1 - loss:0.5")), account(process).constData());
        site.ray().set("away");
        const auto isSilent = lineOf("job", "node0", [](const QJsonObject& line) {
            return line["silence"].toString().contains("Failed to connect to Ray");
        });
        QVERIFY2(process.waitForLine(isSilent), account(process).constData());
        QVERIFY(process.isRunning());
        site.ray().unset("away");
        site.release(0, 1);
        const int status = process.waitForEnd();
        QVERIFY2(status == 0, account(process).constData());
        QCOMPARE(process.verifiedFiles(), size_t(4));
    }

    void attachedJobIsCollected()
    {
        RayRunSite site("attached");
        LOCKSTEP_NEED_SITE(site);
        site.hold(0, 1);
        LockstepProcess first = site.run();
        QVERIFY2(first.waitForLine(lineOf("step", "node0")), account(first).constData());
        const QString run = first.runId();
        first.kill();
        first.waitForEnd();
        LockstepProcess second = site.attach(run);
        const auto isRunning =
            lineOf("host", "node0", [](const QJsonObject& line) { return line["state"] == "running"; });
        QVERIFY2(second.waitForLine(isRunning), account(second).constData());
        site.release(0, 1);
        const int status = second.waitForEnd();
        QVERIFY2(status == 0, account(second).constData());
        QCOMPARE(second.verifiedFiles(), size_t(4));
        QCOMPARE(site.ray().jobs().size(), size_t(1));
    }
};

LOCKSTEP_TEST(RayJobTest, "ray_job_test")
#include "ray_job_test.moc"
