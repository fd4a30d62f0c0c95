// SPDX-License-Identifier: Apache-2.0
#include "capture/agent/ray_scheduler.h"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <thread>

#include <fcntl.h>
#include <unistd.h>

#include "core/base/text.h"

namespace lockstep::agent {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

namespace {

constexpr double kRaySubmit_s = 15, kStatus_s = 20;
constexpr auto kRestartInterval = 5s; // interval between followers while the job runs
constexpr auto kEndRound = 50ms;
constexpr int kLateStarts = 2;
constexpr size_t kChunk_bytes = size_t(1) << 20;

std::string secondsText(double seconds)
{
    return std::to_string(static_cast<int>(seconds)) + " s";
}

// Returns why `ray job VERB` failed, in one line.
std::string errorOf(const ChildOutput& output, std::string_view verb, double timeout_s)
{
    const std::string command = "ray job " + std::string(verb);
    if (!output.isStarted) return output.failureText("ray");
    if (!output.isInTime) return command + " did not respond within " + secondsText(timeout_s);
    const std::string text = rayErrorText(output.out, output.err);
    return text.empty() ? command + " ended with exit status " + std::to_string(output.status) : text;
}

// Returns false if standard output does not accept more data.
bool writeAll(std::string_view bytes)
{
    while (!bytes.empty()) {
        const ssize_t written = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        bytes.remove_prefix(static_cast<size_t>(written));
    }
    return true;
}

} // namespace

RayScheduler::RayScheduler(RayJobOptions options) : m_options(std::move(options))
{
    // Ray prefers these variables to --address. An address in the session is meant for this run, but a
    // variable of the login shell may be meant for another cluster.
    const auto end = std::ranges::find(m_options.submitCommand, "--");
    const bool hasAddress = std::any_of(m_options.submitCommand.begin(), end, [](const std::string& word) {
        return word == "--address" || word.starts_with("--address=");
    });
    if (hasAddress) m_environment = {"RAY_ADDRESS=", "RAY_API_SERVER_ADDRESS="};
    // By default, Python buffers output to a file and encodes it for the locale.
    m_environment.insert(m_environment.end(), {"PYTHONUNBUFFERED=1", "PYTHONIOENCODING=utf-8"});
}

RayScheduler::~RayScheduler()
{
    if (m_log >= 0) ::close(m_log);
}

Result<std::vector<std::string>> RayScheduler::prepare()
{
    const auto& words = m_options.submitCommand;
    const auto submit = std::ranges::find(words, "submit");
    if (submit == words.begin() || submit == words.end() || *(submit - 1) != "job")
        return makeError(ErrorKind::invalid, "the command of a Ray job must be 'ray job submit'");
    return std::vector<std::string>{};
}

std::vector<std::string> RayScheduler::submitCommand() const
{
    std::vector<std::string> words = m_options.submitCommand;
    const auto submit = std::ranges::find(words, "submit");
    words.insert(submit == words.end() ? submit : submit + 1,
                 {std::string(kRayLogStyle), "--submission-id=" + m_options.submissionId});
    return words;
}

ChildOutput RayScheduler::run(std::string_view verb, std::vector<std::string> more, double timeout_s) const
{
    std::vector<std::string> words = rayCommand(m_options.submitCommand, verb);
    std::ranges::move(more, std::back_inserter(words));
    return childOutput(words, timeout_s, m_environment);
}

// `ray job submit` queries the server's version, sends the job, and queries the version again, so it may fail
// after the job was accepted. If its message does not say so, Ray's job list decides.
Request<std::string> RayScheduler::submit()
{
    const std::string& id = m_options.submissionId;
    const ChildOutput output = childOutput(submitCommand(), kRaySubmit_s, m_environment);
    if (output.isSuccess() || isRayJobSubmitted(output.out, id)) return Request<std::string>::answered(id);
    const std::string message = errorOf(output, "submit", kRaySubmit_s);
    if (!output.isStarted) return Request<std::string>::refused(message);
    if (!output.isInTime) return Request<std::string>::noAnswer(message);
    switch (rayFailureFrom(output.err)) {
    case RayFailure::duplicate: // The ID belongs to this run, so an earlier process submitted the job.
        return Request<std::string>::answered(id);
    case RayFailure::unsure: {
        const Request<std::string> found = find();
        if (!found.isAnswered()) return Request<std::string>::noAnswer(message);
        return found.value.empty() ? Request<std::string>::refused(message) : found;
    }
    case RayFailure::unknownJob:
    case RayFailure::notReached:
    case RayFailure::refused:
        break;
    }
    return Request<std::string>::refused(message);
}

Request<std::string> RayScheduler::find()
{
    const Request<JobAnswer> answer = queryState(m_options.submissionId);
    if (!answer.isAnswered()) return Request<std::string>::noAnswer(answer.message);
    const bool isThere = answer.value.phase != JobPhase::forgotten;
    return Request<std::string>::answered(isThere ? m_options.submissionId : std::string());
}

Request<JobAnswer> RayScheduler::queryState(const std::string& job)
{
    const ChildOutput output = run("status", {job}, kStatus_s);
    if (output.isSuccess()) {
        if (auto answer = rayAnswerFrom(output.out, job))
            return Request<JobAnswer>::answered(*std::move(answer));
        const std::string printed = rayErrorText(output.out, {});
        return Request<JobAnswer>::noAnswer("ray job status printed no state for job " + printable(job) +
                                            (printed.empty() ? "" : ": " + printed));
    }
    if (!output.isInTime || rayFailureFrom(output.err) != RayFailure::unknownJob)
        return Request<JobAnswer>::noAnswer(errorOf(output, "status", kStatus_s));
    JobAnswer forgotten;
    forgotten.phase = JobPhase::forgotten;
    return Request<JobAnswer>::answered(std::move(forgotten));
}

Request<bool> RayScheduler::stop(const std::string& job)
{
    const std::ofstream mark(
        file("ray_job.stop")); // Written first, because the job may end before the response arrives.
    const ChildOutput output = run("stop", {"--no-wait", job}, kStatus_s);
    if (output.isSuccess()) return Request<bool>::answered(true);
    const std::string message = errorOf(output, "stop", kStatus_s);
    if (!output.isStarted) return Request<bool>::refused(message);
    const RayFailure failure = rayFailureFrom(output.err);
    if (!output.isInTime || failure == RayFailure::notReached || failure == RayFailure::unsure)
        return Request<bool>::noAnswer(message);
    return Request<bool>::refused(message);
}

void RayScheduler::startFollower()
{
    m_nextStart = Clock::now() + kRestartInterval;
    if (m_log >= 0) ::close(m_log);
    m_read = m_logBytes = 0;
    m_isBegun = false;
    // Uses a new file, because a follower that outlived its agent still writes to the old one.
    const std::string path = file("ray_job.log").string();
    ::unlink(path.c_str());
    const int out = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
    const int err =
        ::open(file("ray_job_log.err").c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
    m_log = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (out >= 0 && err >= 0 && m_log >= 0) {
        std::vector<std::string> words = rayCommand(m_options.submitCommand, "logs");
        words.insert(words.end(), {"--follow", m_options.submissionId});
        auto started = ChildProcess::start({.argv = std::move(words),
                                            .environment = m_environment,
                                            .input = ChildOptions::kNull,
                                            .output = out,
                                            .error = err,
                                            .group = ChildGroup::own,
                                            .endsWithThread = true});
        if (started) m_follower = *std::move(started);
    }
    if (out >= 0) ::close(out);
    if (err >= 0) ::close(err);
}

bool RayScheduler::isFollowing()
{
    if (!m_follower.isRunning()) return false;
    if (!m_follower.poll()) return true;
    m_nextStart = Clock::now() + kRestartInterval;
    return false;
}

// Copies new output from the follower's file. isAll: the follower has ended, so the file is complete.
uint64_t RayScheduler::copyNew(uint64_t from, bool isAll)
{
    std::string chunk;
    while (m_log >= 0) {
        chunk.resize(kChunk_bytes);
        const ssize_t got = ::pread(m_log, chunk.data(), chunk.size(), static_cast<off_t>(m_read));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        chunk.resize(static_cast<size_t>(got));
        if (!m_isBegun) {
            const auto begin = rayLogBegin(chunk);
            if (!begin && !isAll && chunk.size() < kChunk_bytes) break;
            m_isBegun = true;
            m_read += begin.value_or(0);
            if (begin.value_or(0) > 0) continue;
        }
        const bool isFull = chunk.size() == kChunk_bytes;
        size_t end = rayLogEnd(chunk, m_options.submissionId);
        const bool hasState = end < chunk.size();
        if (isFull && end == 0) end = chunk.size(); // longer than any state line
        // A record that is cut off at the end of the chunk is read completely in the next round.
        if (const size_t line = chunk.rfind('\n'); isFull && end == chunk.size() && line != chunk.npos)
            end = line + 1;
        const std::string_view log = std::string_view(chunk).substr(0, end);
        const uint64_t known = std::min<uint64_t>(from > m_logBytes ? from - m_logBytes : 0, log.size());
        if (!writeAll(log.substr(known))) break;
        m_read += log.size();
        m_logBytes += log.size();
        from = std::max(from, m_logBytes);
        if (isAll && hasState && !isFull) {
            const auto answer = rayAnswerFrom(std::string_view(chunk).substr(end), m_options.submissionId);
            m_isWhole = answer && answer->phase == JobPhase::ended;
        }
        if (!isFull) break;
    }
    return from;
}

uint64_t RayScheduler::copyOutput(const JobAnswer& answer, uint64_t from)
{
    const bool hasEnded = answer.phase == JobPhase::ended;
    if (m_isWhole || (!hasEnded && answer.phase != JobPhase::running && !m_follower.isRunning())) return from;
    auto giveUp = Clock::now() + m_options.outputTimeout;
    m_isOutputCut = hasEnded; // unless the rest arrives
    while (true) {
        const bool isAlive =
            // Called first, so that everything that a follower printed before its end is read afterwards.
            isFollowing();
        const uint64_t before = m_read;
        from = copyNew(from, !isAlive);
        if (m_read > before) giveUp = Clock::now() + m_options.outputTimeout;
        m_isOutputCut = m_isOutputCut && !m_isWhole;
        const bool mayStart = hasEnded ? m_lateStarts < kLateStarts : Clock::now() >= m_nextStart;
        if (m_isWhole || (!isAlive && !mayStart)) return from;
        if (!isAlive) {
            if (hasEnded) ++m_lateStarts;
            startFollower();
        }
        if (!hasEnded || Clock::now() >= giveUp) return from;
        std::this_thread::sleep_for(kEndRound);
    }
}

std::string RayScheduler::endText(const JobAnswer& answer, bool isStopped) const
{
    std::error_code ignored;
    return rayEndText(answer, isStopped || fs::exists(file("ray_job.stop"), ignored));
}

std::string RayScheduler::pendingText(const std::string&, const JobAnswer& answer) const
{
    return rayPendingText(answer);
}

} // namespace lockstep::agent
