// SPDX-License-Identifier: Apache-2.0
// RayScheduler with a stand-in for `ray` that runs jobs here: submission, states, output, ends.
#include <QElapsedTimer>
#include <QTest>

#include <csignal>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/agent/ray_scheduler.h"
#include "tests/support/processes_below.h"
#include "tests/support/ray_site.h"
#include "tests/support/slowness.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::test;
using agent::RayScheduler;
using agent::Request;

namespace {

// A run folder, a stand-in for `ray`, and a scheduler for one command line.
class RayRun {
  public:
    explicit RayRun(const std::string& script, const std::string& id = "lockstep-one")
        : m_site(m_folder.path() / "ray")
    {
        m_path = qgetenv("PATH");
        qputenv("PATH", QByteArray::fromStdString(m_site.path()));
        m_options.submitCommand = {"ray", "job",  "submit", "--no-wait", "--address=http://head:8265",
                                   "--",  "bash", "-c",     script};
        m_options.submissionId = id;
        m_options.folder = m_folder.path().string();
        renew();
    }
    ~RayRun()
    {
        m_scheduler.reset();
        qputenv("PATH", m_path);
    }

    const RaySite& site() const { return m_site; }
    RayScheduler& scheduler() { return *m_scheduler; }
    const std::string& id() const { return m_options.submissionId; }
    const std::filesystem::path& folder() const { return m_folder.path(); }
    // Another agent takes over.
    void renew()
    {
        m_scheduler.reset();
        m_scheduler = std::make_unique<RayScheduler>(m_options);
    }
    void setOutputTimeout(std::chrono::milliseconds timeout)
    {
        m_options.outputTimeout = timeout;
        renew();
    }
    JobAnswer queryState() { return m_scheduler->queryState(id()).value; }
    bool waitForState(const std::string& state)
    {
        return waitUntil([&] {
            m_answer = queryState();
            return m_answer.state == state;
        });
    }
    const JobAnswer& answer() const { return m_answer; }
    // Copies the output as JobFollower does, to a file instead of standard output, until it has the text.
    bool waitForOutput(const std::string& text)
    {
        return waitUntil([&] { return copy(), output().find(text) != std::string::npos; });
    }
    void copy()
    {
        const int saved = ::dup(STDOUT_FILENO);
        const int file = ::open((folder() / "output").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
        ::dup2(file, STDOUT_FILENO);
        m_copied = m_scheduler->copyOutput(m_answer, m_copied);
        ::dup2(saved, STDOUT_FILENO);
        ::close(saved);
        ::close(file);
    }
    std::string output() const { return contentOf(folder() / "output"); }
    uint64_t copied() const { return m_copied; }
    // Returns the processes of `ray job logs --follow` of this stand-in.
    int followers() const
    {
        int count = 0;
        for (const QString& name : QDir("/proc").entryList(QDir::Dirs)) {
            const std::filesystem::path process = "/proc/" + name.toStdString();
            const bool isFollower =
                procFile(process / "cmdline").find("--follow") != std::string::npos &&
                procFile(process / "environ").find(folder().string()) != std::string::npos;
            count += isFollower ? 1 : 0;
        }
        return count;
    }

  private:
    TempDir m_folder;
    RaySite m_site;
    QByteArray m_path;
    agent::RayJobOptions m_options;
    std::unique_ptr<RayScheduler> m_scheduler;
    JobAnswer m_answer;
    uint64_t m_copied = 0;
};

} // namespace

class RaySchedulerTest : public QObject {
    Q_OBJECT

  private slots:
    void jobIsFollowedToItsEnd();
    void failedJob();
    void stoppedJob();
    void stoppedByAnother();
    void pendingAndUnknownJobs();
    void refusedSubmissions();
    void hangingSubmission();
    void brokenSubmission();
    void secondSubmissionIsTheSameJob();
    void unreachableServer();
    void rayIsNotInstalled();
    void cutLogIsContinued();
    void successorContinuesOutput();
    void followerEndsWithItsAgent();
    void longOutput();
    void slowOutput();
    void outputThatStops();
};

void RaySchedulerTest::jobIsFollowedToItsEnd()
{
    RayRun run("echo one; until [ -e go ]; do sleep 0.05; done; printf 'two 50%%'");
    QVERIFY(run.scheduler().prepare().has_value());
    const auto submitted = run.scheduler().submit();
    QVERIFY2(submitted.isAnswered(), submitted.message.c_str());
    QCOMPARE(submitted.value, run.id());
    QCOMPARE(run.site().jobs(), std::vector<std::string>{run.id()});
    QVERIFY(run.waitForState("RUNNING"));
    QCOMPARE(run.answer().phase, JobPhase::running);
    // The output arrives while the job runs.
    QVERIFY(run.waitForOutput("one\n"));
    std::ofstream(run.folder() / "ray/state/jobs" / run.id() / "go");
    QVERIFY(run.waitForState("SUCCEEDED"));
    run.copy();
    QCOMPARE(QString::fromStdString(run.output()), QString::fromStdString(run.site().file(run.id(), "log")));
    QCOMPARE(run.copied(), run.output().size());
    QVERIFY(run.output().ends_with("two 50%"));
    run.copy(); // nothing is copied twice
    QCOMPARE(run.copied(), run.output().size());
    QCOMPARE(run.scheduler().endText(run.answer(), false), "");
    // Every command got the address, and the command arrived unchanged.
    const std::string calls = run.site().calls();
    for (const char* words :
         {"\"status\", \"--log-style=record\", \"--address=http://head:8265\"",
          "\"logs\", \"--log-style=record\", \"--address=http://head:8265\", \"--follow\"",
          "\"--submission-id=lockstep-one\""})
        QVERIFY2(calls.find(words) != std::string::npos, calls.c_str());
}

void RaySchedulerTest::failedJob()
{
    RayRun run("echo one; echo 'no such module' >&2; exit 3");
    QVERIFY(run.scheduler().submit().isAnswered());
    QVERIFY(run.waitForState("FAILED"));
    QCOMPARE(run.answer().phase, JobPhase::ended);
    QCOMPARE(run.answer().exitStatus, std::optional(3));
    QCOMPARE(run.scheduler().endText(run.answer(), false), "Job entrypoint command failed with exit code 3");
    run.copy(); // a follower that starts after the end
    QCOMPARE(QString::fromStdString(run.output()), QString::fromStdString(run.site().file(run.id(), "log")));
}

void RaySchedulerTest::stoppedJob()
{
    RayRun run("trap 'echo ending; exit 0' TERM; echo ready; while :; do sleep 0.05; done");
    QVERIFY(run.scheduler().submit().isAnswered());
    QVERIFY(run.waitForState("RUNNING"));
    QVERIFY(run.waitForOutput("ready\n"));
    QVERIFY(run.scheduler().requestEnd(run.id()).isAnswered());
    QVERIFY(run.waitForState("STOPPED"));
    run.copy();
    QVERIFY2(run.output().ends_with("ending\n"), run.output().c_str());
    QVERIFY(run.scheduler().cancel(run.id()).isAnswered()); // Ray accepts the request for an ended job
    QCOMPARE(run.scheduler().endText(run.answer(), false), "stopped as requested");
    run.renew();
    QCOMPARE(run.scheduler().endText(run.answer(), false), "stopped as requested");
}

void RaySchedulerTest::stoppedByAnother()
{
    RayRun run("trap '' TERM; while :; do sleep 0.05; done"); // ended by SIGKILL
    QVERIFY(run.scheduler().submit().isAnswered());
    QVERIFY(run.waitForState("RUNNING"));
    const auto other = agent::childOutput({"ray", "job", "stop", "--no-wait", run.id()}, 20);
    QVERIFY(other.isSuccess());
    QVERIFY(run.waitForState("STOPPED"));
    QCOMPARE(run.scheduler().endText(run.answer(), false), "stopped outside Lockstep (STOPPED)");
}

void RaySchedulerTest::pendingAndUnknownJobs()
{
    RayRun run("echo one");
    run.site().set("hold");
    QVERIFY(run.scheduler().submit().isAnswered());
    QVERIFY(run.waitForState("PENDING"));
    QCOMPARE(run.answer().phase, JobPhase::pending);
    QCOMPARE(run.scheduler().pendingText(run.id(), run.answer()), "");
    run.copy();
    QVERIFY(run.site().calls().find("\"logs\"") == std::string::npos);
    run.site().set("lose");
    const auto lost = run.scheduler().queryState(run.id());
    QVERIFY(lost.isAnswered());
    QCOMPARE(lost.value.phase, JobPhase::forgotten);
    const auto found = run.scheduler().find();
    QVERIFY(found.isAnswered());
    QCOMPARE(found.value, "");
    const auto stopped = run.scheduler().cancel(run.id());
    QCOMPARE(stopped.how, Request<bool>::Outcome::refused);
    QCOMPARE(stopped.message, "Request failed with status code 404: Job lockstep-one does not exist.");
}

void RaySchedulerTest::refusedSubmissions()
{
    RayRun run("echo one");
    run.site().set("refuse");
    const auto refused = run.scheduler().submit();
    QCOMPARE(refused.how, Request<std::string>::Outcome::refused);
    QCOMPARE(refused.message, "Failed to connect to Ray at address: http://head:8265.");
    agent::RayJobOptions options;
    options.submitCommand = {"ray", "job", "submit", "--none-such", "--", "true"};
    options.submissionId = "b";
    options.folder = run.folder().string();
    const auto option = RayScheduler(options).submit();
    QCOMPARE(option.how, Request<std::string>::Outcome::refused);
    QCOMPARE(option.message, "No such option: --none-such");
    options.submitCommand = {"bash", "submit.sh"};
    QVERIFY(!RayScheduler(options).prepare().has_value());
}

void RaySchedulerTest::hangingSubmission()
{
    for (const bool isSubmitted : {false, true}) {
        RayRun run("echo one");
        run.site().set("hang_submit", isSubmitted ? "after" : "");
        QElapsedTimer timer;
        timer.start();
        const auto answer = run.scheduler().submit();
        QVERIFY2(timer.elapsed() >= 14'500 && timer.elapsed() < 60'000,
                 qPrintable(QString::number(timer.elapsed())));
        QCOMPARE(answer.how, Request<std::string>::Outcome::noAnswer);
        QCOMPARE(answer.message, "ray job submit did not respond within 15 s");
        const auto found = run.scheduler().find();
        QVERIFY(found.isAnswered());
        QCOMPARE(found.value, isSubmitted ? run.id() : "");
        if (isSubmitted) QVERIFY(run.waitForState("SUCCEEDED"));
    }
}

void RaySchedulerTest::brokenSubmission()
{
    RayRun run("echo one");
    run.site().set("break_submit");
    const auto answer = run.scheduler().submit();
    QVERIFY2(answer.isAnswered(), answer.message.c_str());
    QCOMPARE(answer.value, run.id());
    // The server doesn't answer the query either, so the outcome is unknown.
    RayRun other("echo one");
    other.site().set("break_submit");
    other.site().set("away");
    QCOMPARE(other.scheduler().submit().how, Request<std::string>::Outcome::noAnswer);
    // The server answers that the job does not exist.
    RayRun third("echo one");
    third.site().set("break_submit");
    third.site().set("lose");
    const auto refused = third.scheduler().submit();
    QCOMPARE(refused.how, Request<std::string>::Outcome::refused);
    QVERIFY(refused.message.find("Connection aborted") != std::string::npos);
}

void RaySchedulerTest::secondSubmissionIsTheSameJob()
{
    RayRun run("sleep 600");
    QVERIFY(run.scheduler().submit().isAnswered());
    run.renew();
    const auto again = run.scheduler().submit();
    QVERIFY2(again.isAnswered(), again.message.c_str());
    QCOMPARE(again.value, run.id());
    QCOMPARE(run.site().jobs().size(), size_t(1));
}

void RaySchedulerTest::unreachableServer()
{
    RayRun run("sleep 600");
    QVERIFY(run.scheduler().submit().isAnswered());
    run.site().set("away");
    const auto answer = run.scheduler().queryState(run.id());
    QCOMPARE(answer.how, Request<JobAnswer>::Outcome::noAnswer);
    QCOMPARE(answer.message, "Failed to connect to Ray at address: http://head:8265.");
    QCOMPARE(run.scheduler().find().how, Request<std::string>::Outcome::noAnswer);
    QCOMPARE(run.scheduler().cancel(run.id()).how, Request<bool>::Outcome::noAnswer);
    run.site().set("away", "hang");
    const auto late = run.scheduler().queryState(run.id());
    QCOMPARE(late.how, Request<JobAnswer>::Outcome::noAnswer);
    QCOMPARE(late.message, "ray job status did not respond within 20 s");
    run.site().unset("away");
    QVERIFY(run.scheduler().queryState(run.id()).isAnswered());
}

void RaySchedulerTest::rayIsNotInstalled()
{
    RayRun run("echo one");
    std::filesystem::remove(run.site().bin() / "ray");
    const auto answer = run.scheduler().submit();
    QCOMPARE(answer.how, Request<std::string>::Outcome::refused);
    QVERIFY2(answer.message.find("not installed") != std::string::npos, answer.message.c_str());
    QCOMPARE(run.scheduler().queryState(run.id()).how, Request<JobAnswer>::Outcome::noAnswer);
}

// The command ends while the job runs; a new one prints everything again.
void RaySchedulerTest::cutLogIsContinued()
{
    RayRun run(
        "for i in 1 2 3 4 5 6; do echo line $i; done; until [ -e go ]; do sleep 0.05; done; echo last");
    run.site().set("cut_logs", "3");
    QVERIFY(run.scheduler().submit().isAnswered());
    QVERIFY(run.waitForState("RUNNING"));
    QVERIFY(run.waitForOutput("line 2\n"));
    QVERIFY(run.waitForOutput("line 6\n"));
    std::ofstream(run.folder() / "ray/state/jobs" / run.id() / "go");
    QVERIFY(run.waitForState("SUCCEEDED"));
    run.copy();
    QCOMPARE(QString::fromStdString(run.output()), QString::fromStdString(run.site().file(run.id(), "log")));
}

void RaySchedulerTest::successorContinuesOutput()
{
    RayRun run("echo one; until [ -e go ]; do sleep 0.05; done; echo two");
    QVERIFY(run.scheduler().submit().isAnswered());
    QVERIFY(run.waitForState("RUNNING"));
    QVERIFY(run.waitForOutput("one\n"));
    run.renew();
    std::ofstream(run.folder() / "ray/state/jobs" / run.id() / "go");
    QVERIFY(run.waitForState("SUCCEEDED"));
    run.copy();
    QCOMPARE(QString::fromStdString(run.output()), QString::fromStdString(run.site().file(run.id(), "log")));
}

void RaySchedulerTest::followerEndsWithItsAgent()
{
    RayRun run("echo one; sleep 600");
    QVERIFY(run.scheduler().submit().isAnswered());
    QVERIFY(run.waitForState("RUNNING"));
    QVERIFY(run.waitForOutput("one\n"));
    QCOMPARE(run.followers(), 1);
    run.renew();
    QCOMPARE(run.followers(), 0);
    const pid_t agent = ::fork(); // killed below
    if (agent == 0) {
        run.copy();
        while (true)
            ::pause();
    }
    QVERIFY(waitUntil([&] { return run.followers() == 1; }));
    ::kill(agent, SIGKILL);
    ::waitpid(agent, nullptr, 0);
    QVERIFY(waitUntil([&] { return run.followers() == 0; }));
    QCOMPARE(run.queryState().state, "RUNNING"); // the job continues
}

void RaySchedulerTest::longOutput()
{
    RayRun run("for i in 1 2 3; do seq 1 200000; done; exit 1"); // several chunks
    QVERIFY(run.scheduler().submit().isAnswered());
    QVERIFY(run.waitForState("FAILED"));
    run.copy();
    const std::string log = run.site().file(run.id(), "log");
    QVERIFY(log.size() > 3'000'000);
    QVERIFY(run.output() == log);
}

// The output takes longer than the time to wait, but never stops for so long.
void RaySchedulerTest::slowOutput()
{
    RayRun run("seq 1 10; exit 1");
    run.setOutputTimeout(std::chrono::seconds(8));
    run.site().set("slow_logs", "0.9");
    QVERIFY(run.scheduler().submit().isAnswered());
    QVERIFY(run.waitForState("FAILED"));
    run.copy();
    QCOMPARE(run.output(), run.site().file(run.id(), "log"));
    QVERIFY(!run.scheduler().isOutputCut());
}

void RaySchedulerTest::outputThatStops()
{
    RayRun run("echo one; exit 1");
    run.setOutputTimeout(std::chrono::seconds(1));
    run.site().set("slow_logs", "600");
    QVERIFY(run.scheduler().submit().isAnswered());
    QVERIFY(run.waitForState("FAILED"));
    run.copy();
    QCOMPARE(run.output(), "");
    QVERIFY(run.scheduler().isOutputCut());
    run.site().unset("slow_logs");
    run.setOutputTimeout(std::chrono::seconds(60)); // of another follower
    run.copy();
    QCOMPARE(run.output(), run.site().file(run.id(), "log"));
    QVERIFY(!run.scheduler().isOutputCut());
}

LOCKSTEP_TEST(RaySchedulerTest, "ray_scheduler_test")
#include "ray_scheduler_test.moc"
