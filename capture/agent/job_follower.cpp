// SPDX-License-Identifier: Apache-2.0
#include "capture/agent/job_follower.h"

#include <algorithm>
#include <cstdio>
#include <thread>

#include "capture/agent/event_log.h"
#include "core/base/json_fields.h"
#include "core/scheduler/job_answer.h"
#include "core/scheduler/slurm_answers.h"

namespace lockstep::agent {

namespace {

using namespace std::chrono_literals;

constexpr auto kRound = 250ms;
constexpr auto kFirstInterval = 1s, kLastInterval = 10s;
// The pause after a response is at least this many times the duration of the query.
constexpr auto kPollPauseFactor = 4;
// Number of responses without the job after which it counts as not submitted.
constexpr int kFindAttempts = 5;
// Interval between those queries, because a busy controller lists a job late.
constexpr auto kSubmittedInterval = 3s;
constexpr auto kEndTimeout = 90s; // waiting time for the scheduler's report on how a failed job ended
// Waiting time for the exit status, which may appear late on a shared disk.
constexpr auto kStatusTimeout = 5s;

int64_t now_s()
{
    return wallClock_ns() / 1'000'000'000;
}

void print(const std::string& text)
{
    std::fprintf(stderr, "lockstep: %s\n", text.c_str());
}

} // namespace

JobFollower::JobFollower(Scheduler& scheduler, RunFolder runDir)
    : m_scheduler(scheduler), m_folder(std::move(runDir)), m_round(m_folder.pollingInterval(kRound)),
      m_interval(kFirstInterval)
{
    m_status.scheduler = scheduler.kind();
}

int JobFollower::run()
{
    restoreState();
    if (m_status.job.empty() && !submit()) return m_exitStatus.value_or(0);
    while (true) {
        handleStopRequest();
        const bool hasEnded = poll();
        m_copied = m_scheduler.copyOutput(m_answer, m_copied);
        save();
        if (hasEnded && determineEnd()) return finish();
        std::this_thread::sleep_for(m_round);
    }
}

void JobFollower::restoreState()
{
    const auto text = readTextFile(m_folder.jobFile());
    if (!text) return;
    const Json record = jsonFrom(*text);
    m_status = jobStatusFromJson(record);
    m_copied = countAt(record, "copied_bytes");
    m_wasSubmitted = boolAt(record, "was_submitted");
    m_isCanceled = boolAt(record, "was_canceled");
}

bool JobFollower::submit()
{
    if (!m_wasSubmitted && isStopRequested()) {
        m_status.phase = JobPhase::ended;
        m_status.text = "stopped before submission";
        save();
        return false;
    }
    if (m_wasSubmitted) return findSubmittedJob("the process that submitted the job was killed");
    const auto notes = m_scheduler.prepare();
    if (!notes) return failSubmit(notes.error().message);
    for (const std::string& note : *notes)
        print(note);
    m_wasSubmitted = true;
    save();
    const auto answer = m_scheduler.submit();
    if (answer.how == Request<std::string>::Outcome::refused) return failSubmit(answer.message);
    if (!answer.isAnswered()) return findSubmittedJob(answer.message);
    m_status.job = answer.value;
    save();
    return true;
}

// A request without a response may have been carried out, so only the scheduler's job list tells.
bool JobFollower::findSubmittedJob(const std::string& unknownReason)
{
    noteSilence(unknownReason);
    for (int answers = 0; answers < kFindAttempts;) {
        save();
        const auto found = m_scheduler.find();
        if (!found.isAnswered()) {
            noteSilence(found.message);
        } else if (!found.value.empty()) {
            noteAnswer();
            m_status.job = found.value;
            save();
            return true;
        } else {
            ++answers;
        }
        std::this_thread::sleep_for(kSubmittedInterval);
    }
    noteAnswer();
    return failSubmit(unknownReason);
}

bool JobFollower::failSubmit(const std::string& message)
{
    m_status.phase = JobPhase::ended;
    m_status.state.clear();
    m_status.text = "not submitted: " + message;
    print(message);
    save();
    m_exitStatus = 1;
    return false;
}

bool JobFollower::isStopRequested()
{
    const auto request = readTextFile(m_folder.stopFile());
    if (!request) return false;
    const Json requested = jsonFrom(*request);
    if (boolAt(requested, "keep")) return false;
    const double grace_s = std::clamp(realAt(requested, "grace_s", 30.0), 0.0, 1e6);
    if (m_grace_s != grace_s) {
        const auto grace =
            std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(grace_s));
        m_cancelAt = Clock::now() + grace;
        m_grace_s = grace_s;
    }
    return true;
}

void JobFollower::handleStopRequest()
{
    if (!isStopRequested() || m_isCanceled) return;
    const bool isRunning = m_status.phase == JobPhase::running;
    if (isRunning && !m_isEndRequested) {
        const auto answer = m_scheduler.requestEnd(m_status.job);
        m_isEndRequested = answer.isAnswered();
        if (!m_isEndRequested) noteSilence(answer.message);
        m_interval = kFirstInterval;
    }
    const bool isDue = !isRunning || (m_cancelAt && Clock::now() >= *m_cancelAt);
    if (!isDue || Clock::now() < m_nextPoll) return;
    const auto answer = m_scheduler.cancel(m_status.job);
    m_isCanceled = answer.isAnswered();
    if (!m_isCanceled) noteSilence(answer.message);
    m_interval = kFirstInterval;
    m_nextPoll = Clock::now();
}

bool JobFollower::poll()
{
    if (m_scheduler.programStatus(m_status.restarts)) return true;
    if (Clock::now() < m_nextPoll) return false;
    const auto begun = Clock::now();
    auto answer = m_scheduler.queryState(m_status.job);
    const auto end = Clock::now();
    if (answer.isAnswered()) {
        noteAnswer();
        take(std::move(answer.value));
    } else {
        noteSilence(answer.message);
    }
    const bool isUrgent = m_isEndRequested || m_isCanceled;
    m_nextPoll = end + std::max<Clock::duration>(m_interval, (end - begun) * kPollPauseFactor);
    m_interval = isUrgent ? kFirstInterval : std::min<Clock::duration>(m_interval * 5 / 4, kLastInterval);
    return m_status.phase == JobPhase::ended || m_status.phase == JobPhase::forgotten;
}

void JobFollower::take(JobAnswer answer)
{
    m_status.restarts = std::max(m_status.restarts, answer.restarts.value_or(0));
    const bool areNodesNew = !answer.nodeLists.empty() && answer.nodeLists != m_answer.nodeLists;
    if (answer.phase != m_status.phase) m_interval = kFirstInterval;
    m_status.phase = answer.phase;
    m_status.state = answer.state;
    m_status.reason = answer.phase == JobPhase::pending ? answer.reason : std::string();
    m_status.expectedStart_s = answer.expectedStart_s;
    m_status.text =
        answer.phase == JobPhase::pending ? m_scheduler.pendingText(m_status.job, answer) : std::string();
    if (areNodesNew) m_status.nodes = m_scheduler.nodes(answer);
    // A response from accounting does not have these fields.
    if (answer.outputFile.empty()) answer.outputFile = m_answer.outputFile;
    if (answer.timeLimit.empty()) answer.timeLimit = m_answer.timeLimit;
    m_answer = std::move(answer);
}

// A short program may end before its job was seen running, and without the node names no reports can be
// collected.
void JobFollower::findNodes()
{
    if (m_scheduler.kind() != SchedulerKind::slurm) return;
    while (m_status.nodes.empty()) {
        auto answer = m_scheduler.queryState(m_status.job);
        if (answer.isAnswered()) {
            noteAnswer();
            take(std::move(answer.value));
            if (m_status.nodes.empty()) m_status.nodes = nodesOnDisk();
            return;
        }
        noteSilence(answer.message);
        save();
        std::this_thread::sleep_for(kFirstInterval);
    }
}

// The run folder of each node is next to the run folder of this host and has the node's name.
std::vector<JobNode> JobFollower::nodesOnDisk() const
{
    std::vector<JobNode> nodes;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(m_folder.path().parent_path(), error)) {
        const std::string name = entry.path().filename().string();
        const bool isNode = std::filesystem::exists(RunFolder(entry.path()).eventsFile(), error) &&
                            entry.path() != m_folder.path() && slurmNodesFrom(name).size() == 1;
        if (isNode) nodes.push_back({name, -1});
    }
    return nodes;
}

// The exit status of the script is known immediately. Status 0 is final. For other values the scheduler may
// know the cause, for example that it killed the script at the time limit.
bool JobFollower::determineEnd()
{
    const auto begun = Clock::now();
    std::optional<int>& status = m_exitStatus;
    status = m_scheduler.programStatus(m_status.restarts);
    while (!status && m_status.phase == JobPhase::ended && Clock::now() - begun < kStatusTimeout) {
        if (m_answer.state != "COMPLETED") break;
        std::this_thread::sleep_for(m_round);
        status = m_scheduler.programStatus(m_status.restarts);
    }
    const int restarts = m_status.restarts;
    if (status || m_status.phase == JobPhase::forgotten) findNodes();
    const auto isOpen = [this] {
        return m_status.phase != JobPhase::ended && m_status.phase != JobPhase::forgotten;
    };
    while (status.value_or(0) != 0 && isOpen() && m_status.restarts == restarts &&
           Clock::now() - begun < kEndTimeout) {
        auto answer = m_scheduler.queryState(m_status.job);
        if (!answer.isAnswered()) break;
        take(std::move(answer.value));
        if (m_status.phase == JobPhase::running)
            break; // the job ends without help, once its nodes may be released
        std::this_thread::sleep_for(1s);
    }
    return m_status.restarts == restarts || status == 0;
}

int JobFollower::finish()
{
    const std::optional<int> status = m_exitStatus;
    m_copied = m_scheduler.copyOutput(m_answer, m_copied);
    const bool hasCause =
        m_status.phase == JobPhase::ended && m_answer.state != "FAILED" && m_answer.state != "COMPLETED";
    std::string text;
    if (m_status.phase == JobPhase::ended) text = m_scheduler.endText(m_answer, m_isCanceled);
    if (status && !hasCause) text = *status == 0 ? std::string() : exitStatusText(*status);
    if (!status && m_status.phase == JobPhase::forgotten)
        text = "the end state is unknown: the job left no exit status, and there is no accounting";
    const bool lacksNodes = status && m_status.nodes.empty() && m_scheduler.kind() == SchedulerKind::slurm;
    if (lacksNodes)
        text += std::string(text.empty() ? "" : "; ") +
                "the nodes of the job are unknown, so its reports were not collected";
    m_status.phase = status || m_status.phase != JobPhase::forgotten ? JobPhase::ended : m_status.phase;
    m_status.text = text;
    if (m_scheduler.isOutputCut()) // says nothing about the job itself
        m_status.text += std::string(text.empty() ? "" : "; ") + "the end of its output is missing";
    save();
    if (m_isCanceled && (!status || hasCause)) return 0;
    if (status && (*status != 0 || (!hasCause && !lacksNodes))) return *status;
    const int ownStatus = m_answer.exitStatus.value_or(0);
    return text.empty() ? 0 : std::max(1, ownStatus);
}

void JobFollower::noteAnswer()
{
    m_status.silentSince_s.reset();
    m_status.silence.clear();
}

void JobFollower::noteSilence(const std::string& message)
{
    if (!m_status.silentSince_s) m_status.silentSince_s = now_s();
    m_status.silence = message;
    m_interval = kFirstInterval;
}

void JobFollower::save()
{
    Json record = jsonFromJobStatus(m_status);
    record["copied_bytes"] = m_copied;
    record["was_submitted"] = m_wasSubmitted;
    record["was_canceled"] = m_isCanceled;
    const std::string text = jsonLine(record);
    if (text == m_saved) return;
    if (writeTextFile(m_folder.jobFile(), text)) m_saved = text;
}

} // namespace lockstep::agent
