// SPDX-License-Identifier: Apache-2.0
// Tests JobFollower with a scheduler whose answers are scripted: no answer, a killed follower, and a request
// to stop.
#include <map>

#include "capture/agent/job_follower.h"
#include "core/scheduler/job_answer.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_registry.h"

using namespace lockstep;
using namespace lockstep::agent;

namespace {

using JobId = Request<std::string>;
using JobLook = Request<JobAnswer>;

JobAnswer inPhase(JobPhase phase, const std::string& state)
{
    JobAnswer answer;
    answer.phase = phase;
    answer.state = state;
    if (phase != JobPhase::pending) answer.nodeLists = {{-1, "n1"}};
    return answer;
}

const JobAnswer kPending = inPhase(JobPhase::pending, "PENDING");
const JobAnswer kRunning = inPhase(JobPhase::running, "RUNNING");
const JobAnswer kCanceled = inPhase(JobPhase::ended, "CANCELLED");

// Returns the answers in the given order and repeats the last one.
class ScriptedScheduler : public Scheduler {
  public:
    JobId submitted = JobId::answered("12");
    std::vector<JobId> found{JobId::answered("")};
    std::vector<JobLook> looks{JobLook::answered(kRunning)};
    std::optional<int> status; // of the program, from the last answer on
    size_t looked = 0, sought = 0, submits = 0, requests = 0, cancels = 0;

    SchedulerKind kind() const override { return SchedulerKind::slurm; }
    bool isScriptThere = true;
    Result<std::vector<std::string>> prepare() override
    {
        if (!isScriptThere) return makeError(ErrorKind::notFound, "train.sbatch: cannot be read");
        return std::vector<std::string>();
    }
    JobId submit() override
    {
        ++submits;
        return submitted;
    }
    JobId find() override { return found[std::min(sought++, found.size() - 1)]; }
    JobLook queryState(const std::string&) override
    {
        if (cancels > 0) return JobLook::answered(kCanceled);
        return looks[std::min(looked++, looks.size() - 1)];
    }
    bool isCut = false;
    bool isOutputCut() const override { return isCut; }
    std::vector<JobNode> nodes(const JobAnswer& answer) override
    {
        std::vector<JobNode> all;
        for (const auto& [component, name] : answer.nodeLists)
            all.push_back({name, component});
        return all;
    }
    Request<bool> requestEnd(const std::string&) override
    {
        ++requests;
        return Request<bool>::answered(true);
    }
    Request<bool> cancel(const std::string&) override
    {
        ++cancels;
        return Request<bool>::answered(true);
    }
    std::map<int, int> statusOfStart; // by number of restarts, after the first look
    std::optional<int> programStatus(int restarts) override
    {
        if (const auto known = statusOfStart.find(restarts); known != statusOfStart.end() && looked > 0)
            return known->second;
        return looked >= looks.size() ? status : std::nullopt;
    }
    uint64_t copyOutput(const JobAnswer&, uint64_t from) override { return from; }
    std::string endText(const JobAnswer& answer, bool isStopped) const override
    {
        return isStopped ? "canceled as requested" : answer.state;
    }
    std::string pendingText(const std::string&, const JobAnswer& answer) const override
    {
        return answer.reason;
    }
};

struct Folder {
    test::TempDir folder;

    RunFolder run() const { return RunFolder(folder.path() / "login"); }
    Folder() { std::filesystem::create_directories(run().path()); }
    JobStatus status() const
    {
        const auto text = readTextFile(run().jobFile());
        return jobStatusFromJson(Json::parse(text.value_or("{}")));
    }
    void requestStop(double grace_s) const
    {
        folder.write("login/stop.json", jsonLine(Json{{"grace_s", grace_s}, {"keep", false}}));
    }
};

} // namespace

class JobFollowerTest : public QObject {
    Q_OBJECT

  private slots:
    void programThatSucceeds()
    {
        const Folder folder;
        ScriptedScheduler slurm;
        slurm.looks = {JobLook::answered(kPending), JobLook::answered(kRunning)};
        slurm.status = 0;
        QCOMPARE(JobFollower(slurm, folder.run()).run(), 0);
        QCOMPARE(folder.status().phase, JobPhase::ended);
        QCOMPARE(folder.status().nodes, (std::vector<JobNode>{{"n1", -1}}));
    }

    // Missing output is stated, but is not a failure of the job.
    void cutOutputIsStated()
    {
        const Folder folder;
        ScriptedScheduler slurm;
        slurm.isCut = true;
        slurm.status = 0;
        QCOMPARE(JobFollower(slurm, folder.run()).run(), 0);
        QCOMPARE(folder.status().text, std::string("the end of its output is missing"));
        const Folder other;
        slurm.status = 7;
        QCOMPARE(JobFollower(slurm, other.run()).run(), 7);
        QCOMPARE(other.status().text, std::string("exit status 7; the end of its output is missing"));
    }

    // The job ended before it was seen running; its nodes are still queried.
    void shortProgramHasNodes()
    {
        const Folder folder;
        ScriptedScheduler slurm;
        slurm.looks = {JobLook::answered(kRunning)};
        slurm.looked = 1; // the status is available immediately
        slurm.status = 0;
        QCOMPARE(JobFollower(slurm, folder.run()).run(), 0);
        QCOMPARE(folder.status().nodes.size(), size_t(1));
    }

    void programWithUnknownNodesIsNotASuccess()
    {
        const Folder folder;
        ScriptedScheduler slurm;
        slurm.looks = {JobLook::answered(inPhase(JobPhase::forgotten, ""))};
        slurm.looks.front().value.nodeLists.clear();
        slurm.looked = 1;
        slurm.status = 0;
        QVERIFY(JobFollower(slurm, folder.run()).run() != 0);
        QVERIFY(folder.status().text.find("its reports were not collected") != std::string::npos);
        // The nodes are known where they have created their run folders.
        folder.folder.write("n7/events.jsonl", "");
        std::filesystem::remove(folder.run().jobFile());
        QCOMPARE(JobFollower(slurm, folder.run()).run(), 0);
        QCOMPARE(folder.status().nodes, (std::vector<JobNode>{{"n7", -1}}));
    }

    // Slurm kills the program of a job that it requeues. The exit status of that start is not the job's.
    void requeuedJobIsFollowedAgain()
    {
        const Folder folder;
        ScriptedScheduler slurm;
        JobAnswer waits = kPending, runs = kRunning;
        waits.restarts = runs.restarts = 1;
        slurm.looks = {JobLook::answered(kRunning), JobLook::answered(waits), JobLook::answered(waits),
                       JobLook::answered(runs)};
        slurm.statusOfStart = {{0, 143}};
        slurm.status = 0;
        QCOMPARE(JobFollower(slurm, folder.run()).run(), 0);
        QCOMPARE(slurm.looked, size_t(4));
        QCOMPARE(folder.status().restarts, 1);
        QCOMPARE(folder.status().text, std::string());
    }

    void noReplyIsNotAnAnswer()
    {
        const Folder folder;
        ScriptedScheduler slurm;
        slurm.looks = {JobLook::answered(kRunning), JobLook::noAnswer("connect failure"),
                       JobLook::noAnswer("connect failure"),
                       JobLook::answered(inPhase(JobPhase::ended, "TIMEOUT"))};
        QVERIFY(JobFollower(slurm, folder.run()).run() != 0);
        QCOMPARE(slurm.looked, size_t(4));
        QVERIFY(!folder.status().silentSince_s);
        QCOMPARE(folder.status().text, std::string("TIMEOUT"));
    }

    void unansweredSubmitIsSearchedFor()
    {
        const Folder folder;
        ScriptedScheduler slurm;
        slurm.submitted = JobId::noAnswer("Socket timed out");
        slurm.found = {JobId::noAnswer("connect failure"), JobId::answered(""), JobId::answered("12")};
        slurm.status = 0;
        QCOMPARE(JobFollower(slurm, folder.run()).run(), 0);
        QCOMPARE(folder.status().job, std::string("12"));
        QCOMPARE(slurm.submits, size_t(1));
    }

    void submitWithoutAJobFails()
    {
        const Folder folder;
        ScriptedScheduler slurm;
        slurm.submitted = JobId::noAnswer("Socket timed out");
        QCOMPARE(JobFollower(slurm, folder.run()).run(), 1);
        QCOMPARE(folder.status().text, std::string("not submitted: Socket timed out"));
    }

    void nextFollowerContinuesTheJob()
    {
        const Folder folder;
        folder.folder.write("login/job.json", R"({"job":"12","was_submitted":true,"phase":"running"})");
        ScriptedScheduler slurm;
        slurm.status = 0;
        QCOMPARE(JobFollower(slurm, folder.run()).run(), 0);
        QCOMPARE(slurm.submits, size_t(0));
    }

    // Killed between sbatch and its answer: the follower searches for the job and never submits twice.
    void nextFollowerSearchesForTheJob()
    {
        const Folder folder;
        folder.folder.write("login/job.json", R"({"job":"","was_submitted":true,"phase":"submitting"})");
        ScriptedScheduler slurm;
        slurm.found = {JobId::answered("12")};
        slurm.isScriptThere = false; // the file may be gone by then
        slurm.status = 0;
        QCOMPARE(JobFollower(slurm, folder.run()).run(), 0);
        QCOMPARE(slurm.submits, size_t(0));
    }

    void stopBeforeTheSubmitPreventsIt()
    {
        const Folder folder;
        folder.requestStop(0);
        ScriptedScheduler slurm;
        QCOMPARE(JobFollower(slurm, folder.run()).run(), 0);
        QCOMPARE(slurm.submits, size_t(0));
    }

    void stopCancelsAPendingJobAtOnce()
    {
        const Folder folder;
        folder.folder.write("login/job.json", R"({"job":"12","was_submitted":true,"phase":"pending"})");
        folder.requestStop(1000);
        ScriptedScheduler slurm;
        slurm.looks = {JobLook::answered(kPending)};
        QCOMPARE(JobFollower(slurm, folder.run()).run(), 0);
        QCOMPARE(slurm.requests, size_t(0));
        QCOMPARE(slurm.cancels, size_t(1));
        QCOMPARE(folder.status().text, std::string("canceled as requested"));
    }

    void stopFirstAsksARunningProgramToEnd()
    {
        const Folder folder;
        folder.folder.write("login/job.json", R"({"job":"12","was_submitted":true,"phase":"running"})");
        folder.requestStop(2);
        ScriptedScheduler slurm;
        QCOMPARE(JobFollower(slurm, folder.run()).run(), 0);
        QCOMPARE(slurm.requests, size_t(1));
        QCOMPARE(slurm.cancels, size_t(1));
    }
};

LOCKSTEP_TEST(JobFollowerTest, "job_follower_test")
#include "job_follower_test.moc"
