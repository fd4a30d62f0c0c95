// SPDX-License-Identifier: Apache-2.0
#include "core/remote/server_run.h"

#include <array>
#include <cmath>

#include "core/base/text.h"
#include "core/remote/agent_client.h"

namespace lockstep {

namespace {

constexpr int kProbe_s = 15;        // limit of a request that only asks
constexpr int kReport_s = 15;       // interval of waits()
constexpr int kStopNoFolder_s = 30; // after an answer to stop, for files that appear late on a shared disk
constexpr int kMostRefused = 3;     // number of refused connections after which a server counts as ended

std::string secondsText(double seconds)
{
    const auto tenths = std::llround(seconds * 10);
    return std::to_string(tenths / 10) +
           (tenths % 10 == 0 || seconds >= 100 ? "" : "." + std::to_string(tenths % 10)) + " s";
}

int milliseconds(double seconds)
{
    return static_cast<int>(seconds * 1000);
}

std::string stepsText(int64_t steps)
{
    return std::to_string(steps) + (steps == 1 ? " step" : " steps");
}

std::string tracesText(int64_t traces)
{
    return std::to_string(traces) + (traces == 1 ? " trace" : " traces");
}

std::string othersText(size_t others)
{
    if (others == 0) return {};
    return " and " + std::to_string(others) + (others == 1 ? " other file" : " other files");
}

} // namespace

std::string_view serverStateName(ServerState state)
{
    static constexpr std::array<std::string_view, 10> kNames{
        "waiting",  "identifying", "ready",    "starting",  "recording",
        "stopping", "writing",     "recorded", "unchecked", "failed"};
    return kNames[static_cast<size_t>(state)];
}

bool isOver(ServerState state)
{
    return state >= ServerState::recorded;
}

ServerRun::ServerRun(ServerTarget target, const RecorderOptions& options, QObject* parent)
    : QObject(parent), m_options(options), m_identity(target.kind), m_alive(this), m_report(this),
      m_deadline(this)
{
    m_status.target = std::move(target);
    m_deadline.setSingleShot(true);
    connect(&m_alive, &QTimer::timeout, this, &ServerRun::checkAlive);
    connect(&m_report, &QTimer::timeout, this, [this] {
        emit waits(std::string(serverStateName(m_status.state)) + " for " +
                   secondsText(std::floor(double(m_phase.elapsed()) / 1000)) +
                   (m_status.steps ? ", " + stepsText(*m_status.steps) + " so far" : ""));
    });
}

HttpCall* ServerRun::send(const HttpRequest& request, int limit_s, bool isHeld, OnAnswer then)
{
    auto* const call = new HttpCall(m_status.target.remote,
                                    {m_status.target.url, request, m_options.key, limit_s}, isHeld, this);
    connect(call, &HttpCall::finished, this, [this, call, then = std::move(then)](const HttpResult& result) {
        call->deleteLater();
        if (!isOver(m_status.state)) then(result);
    });
    return call;
}

void ServerRun::list(OnFiles then)
{
    CallLimits limits;
    limits.what = "list of trace files";
    RemoteCall* const call =
        m_status.target.remote->call(folderListText(quotedHostPath(m_status.target.folder)), this, limits);
    connect(call, &RemoteCall::finished, this,
            [this, call, then = std::move(then)](const CallResult& result) {
                call->deleteLater();
                if (isOver(m_status.state)) return;
                m_isFolderMissing = result.code == 2 && result.link == LinkFailure::none;
                m_listProblem = result.isOk() || m_isFolderMissing ? "" : result.error.message;
                if (!m_listProblem.empty()) return then(std::nullopt);
                then(folderFilesFrom(result.output.toStdString()));
            });
}

void ServerRun::setState(ServerState state)
{
    m_status.state = state;
    m_phase.start();
    m_report.start(kReport_s * 1000);
    emit changed();
}

void ServerRun::identify()
{
    setState(ServerState::identifying);
    identifyNext();
}

void ServerRun::identifyNext()
{
    if (m_identity.nextPath().empty()) {
        const auto facts = m_identity.facts();
        if (facts) {
            m_status.facts = *facts;
        } else if (!m_identity.isRouter() || m_identity.workers().empty()) {
            end(ServerState::failed, facts.error().message);
        }
        emit identified();
        return;
    }
    send({"GET", std::string(m_identity.nextPath()), {}}, kProbe_s, false, [this](const HttpResult& result) {
        if (result.error) {
            end(ServerState::failed, result.error->message);
            emit identified();
            return;
        }
        m_identity.take(result.answer);
        identifyNext();
    });
}

void ServerRun::fail(const std::string& message)
{
    if (!isOver(m_status.state)) end(ServerState::failed, message);
}

void ServerRun::readSteps(const std::function<void(const StepCounts&, const HttpResult&)>& then)
{
    send({"GET", "/metrics", {}}, kProbe_s, false, [then](const HttpResult& result) {
        then(result.error || result.answer.status != 200 ? StepCounts() : stepCountsFrom(result.answer.body),
             result);
    });
}

void ServerRun::prepare()
{
    const ServerRecording& recording = m_options.recording;
    m_endsByItself = stopsByItself(m_status.facts->kind, recording);
    m_status.expected = expectedTraces(*m_status.facts, recording);
    const auto withFiles = [this] {
        if (m_status.target.folder.empty()) return openStart();
        list([this](const std::optional<FolderFiles>& files) {
            if (!files) {
                end(ServerState::failed, "the folder cannot be listed: " + m_listProblem);
                emit prepared();
                return;
            }
            m_before = *files;
            openStart();
        });
    };
    if (m_status.facts->kind != ServerKind::vllm || !recording.steps) return withFiles();
    readSteps([this, withFiles](const StepCounts& counts, const HttpResult& result) {
        if (counts.empty() && !m_options.recording.seconds) {
            end(ServerState::failed,
                result.error
                    ? result.error->message
                    : std::string("the server does not report its steps in /metrics "
                                  "(vllm:iteration_tokens_total); give the duration with --seconds"));
            emit prepared();
            return;
        }
        withFiles();
    });
}

void ServerRun::openStart()
{
    m_start = send(startProfileRequest(m_status.facts->kind, m_options.recording, m_status.target.folder),
                   m_options.timeout_s, true, [this](const HttpResult& result) {
                       const bool wasReady = m_status.state != ServerState::identifying;
                       if (wasReady) return handleStart(result);
                       end(ServerState::failed, result.error ? result.error->message : "curl ended early");
                       emit prepared();
                   });
    connect(m_start, &HttpCall::ready, this, [this] {
        setState(ServerState::ready);
        emit prepared();
    });
}

void ServerRun::start()
{
    setState(ServerState::starting);
    m_clock.start();
    m_start->release();
}

void ServerRun::handleStart(const HttpResult& result)
{
    if (result.wasSent) m_status.sent_ns = {result.notBefore_ns, result.notAfter_ns};
    if (m_isCanceled && !result.wasSent) return end(ServerState::failed, "interrupted before the start");
    if (result.error) {
        if (!result.wasSent) return end(ServerState::failed, result.error->message);
        // The profiler may be running: stop it, and report the start as failed.
        m_stopProblem = result.error->message;
        return stop();
    }
    if (auto problem = startProblem(*m_status.facts, result.answer))
        return end(ServerState::failed, problem->message);
    m_recording.start();
    m_status.mayHaveWritten = true;
    if (m_isCanceled) return stop();
    beginRecording();
}

void ServerRun::beginRecording()
{
    setState(ServerState::recording);
    const ServerRecording& recording = m_options.recording;
    if (m_endsByItself && m_status.target.folder.empty()) {
        return end(ServerState::unchecked,
                   "started; the server stops by itself after " + stepsText(*recording.steps) +
                       ". Its files were not checked, because their folder is not known");
    }
    const double limit_s = recording.seconds.value_or(m_options.timeout_s);
    connect(&m_deadline, &QTimer::timeout, this, [this] {
        m_isTimedOut = !m_options.recording.seconds;
        stop();
    });
    m_deadline.start(milliseconds(limit_s));
    if (m_endsByItself) {
        m_alive.start(milliseconds(m_options.pollAlive_s));
        return pollFiles();
    }
    if (!recording.steps) return m_alive.start(milliseconds(m_options.pollAlive_s));
    // The start may have taken long, so steps are counted from its answer.
    readSteps([this](const StepCounts& counts, const HttpResult&) {
        m_stepsBefore = counts;
        if (!counts.empty()) m_status.steps = 0;
        if (m_status.state == ServerState::recording) pollSteps();
    });
}

void ServerRun::pollSteps()
{
    QTimer::singleShot(milliseconds(m_options.pollSteps_s), this, [this] {
        if (m_status.state != ServerState::recording) return;
        readSteps([this](const StepCounts& counts, const HttpResult& result) {
            if (m_status.state != ServerState::recording || endIfRefused(result)) return;
            if (!counts.empty() && !m_status.steps) { // the first counts
                m_stepsBefore = counts;
                m_status.steps = 0;
            }
            if (!counts.empty()) {
                const int64_t steps = stepsBetween(m_stepsBefore, counts);
                if (m_status.steps != steps) {
                    m_status.steps = steps;
                    emit changed();
                }
                if (steps >= *m_options.recording.steps) return stop();
            }
            pollSteps();
        });
    });
}

void ServerRun::checkAlive()
{
    const bool isWaiting = m_status.state == ServerState::recording || m_status.state == ServerState::writing;
    if (!isWaiting) return;
    send({"GET", "/health", {}}, kProbe_s, false, [this](const HttpResult& result) { endIfRefused(result); });
}

bool ServerRun::endIfRefused(const HttpResult& result)
{
    m_refused = result.isRefused ? m_refused + 1 : 0;
    if (m_refused < kMostRefused) return false;
    m_status.mayHaveWritten = false;
    end(ServerState::failed, "the server ended during the recording: " + result.error->message);
    return true;
}

void ServerRun::stop()
{
    m_deadline.stop();
    m_alive.stop();
    if (m_recording.isValid()) m_recorded_s = double(m_recording.elapsed()) / 1000;
    m_wasStopped = true;
    setState(ServerState::stopping);
    send(stopProfileRequest(m_status.facts->kind),
         m_isCanceled ? m_options.cancelTimeout_s : m_options.timeout_s, false,
         [this](const HttpResult& result) { handleStop(result); });
}

void ServerRun::handleStop(const HttpResult& result)
{
    std::string problem = result.error ? result.error->message : std::string();
    if (!result.error) {
        // If the server stops by itself, a stop that finds no recording means that it had already ended.
        const bool isEarlyEnd = m_endsByItself && meansNotRecording(m_status.facts->kind, result.answer);
        if (const auto refused = stopProblem(*m_status.facts, result.answer); refused && !isEarlyEnd)
            problem = refused->message;
        if (isEarlyEnd) m_isTimedOut = false;
    }
    if (!m_stopProblem.empty()) // the start failed
        return end(ServerState::failed,
                   m_stopProblem + (problem.empty() ? "; the profiler was stopped"
                                                    : "; stopping the profiler failed too: " + problem));
    if (m_isCanceled)
        return end(ServerState::failed, problem.empty()
                                            ? "interrupted; the profiler was stopped"
                                            : "interrupted; stopping the profiler failed: " + problem);
    if (!problem.empty() && m_status.target.folder.empty()) return end(ServerState::failed, problem);
    m_stopProblem = problem;
    beginWriting();
}

void ServerRun::beginWriting()
{
    if (m_status.target.folder.empty()) {
        return end(ServerState::unchecked,
                   doneText() + "; its files were not checked, because their folder is not known (--folder)");
    }
    setState(ServerState::writing);
    m_sameLists = 0;
    m_refused = 0;
    m_alive.start(milliseconds(m_options.pollAlive_s));
    m_deadline.disconnect(this);
    connect(&m_deadline, &QTimer::timeout, this, [this] { endWithFiles(false); });
    // vLLM answers after its workers have written; SGLang says that writing will take some time.
    const bool isWritten = m_status.facts->kind == ServerKind::vllm || !m_stopProblem.empty();
    m_deadline.start(1000 *
                     (isWritten ? std::min(kStopNoFolder_s, m_options.timeout_s) : m_options.timeout_s));
    pollFiles();
}

void ServerRun::pollFiles()
{
    list([this](const std::optional<FolderFiles>& files) {
        const bool isWaiting = m_status.state == ServerState::writing ||
                               (m_status.state == ServerState::recording && m_endsByItself);
        if (!isWaiting) return;
        handleFiles(files);
        if (isOver(m_status.state)) return;
        QTimer::singleShot(milliseconds(m_options.pollFiles_s), this, [this, state = m_status.state] {
            if (m_status.state == state) pollFiles();
        });
    });
}

FolderShare ServerRun::share() const
{
    return m_share ? m_share() : FolderShare{1, m_status.expected.count, false};
}

void ServerRun::handleFiles(const std::optional<FolderFiles>& files)
{
    if (!files) return; // the link to the host is down; try again until the deadline
    m_status.written = writtenFiles(m_status.facts->kind, m_before, *files);
    const bool isSame = !m_status.written.files.empty() && m_status.written.files == m_lastFiles;
    if (!isSame) emit changed();
    m_lastFiles = m_status.written.files;
    m_sameLists = isSame ? m_sameLists + 1 : 0;
    // A file that is being written grows, or is empty. Without a known number, wait longer for more files.
    const FolderShare all = share();
    const int enough = all.traces ? 2 : 4;
    bool isEmpty = false;
    for (const auto& [name, file] : m_status.written.files)
        isEmpty = isEmpty || file.size_bytes == 0;
    if (m_sameLists >= enough && !isEmpty && m_status.written.isComplete(all.needed())) endWithFiles(true);
}

std::string ServerRun::doneText() const
{
    const ServerRecording& recording = m_options.recording;
    std::string text;
    if (m_endsByItself && !m_isTimedOut) {
        text = "recorded " + stepsText(*recording.steps) + ", counted by the server";
    } else if (m_endsByItself) {
        text = "stopped after " + secondsText(m_recorded_s) + ", before the server had made " +
               stepsText(*recording.steps);
    } else if (recording.steps && m_status.steps) {
        text = "recorded about " + stepsText(*m_status.steps) + " in " + secondsText(m_recorded_s) + " (" +
               std::to_string(*recording.steps) +
               " requested; counted in /metrics, where steps without output "
               "are missing)";
    } else {
        text = "recorded " + secondsText(m_recorded_s);
        if (recording.steps) text += "; the server did not report its steps";
    }
    return m_stopProblem.empty() ? text : text + "; " + m_stopProblem;
}

void ServerRun::endWithFiles(bool isInTime)
{
    const FolderShare all = share();
    if (!isInTime && all.isBusy) { // the missing files may be those of another server
        m_deadline.start(milliseconds(m_options.pollFiles_s * 10));
        return;
    }
    const WrittenFiles& written = m_status.written;
    const auto traces = static_cast<int64_t>(written.traces.size());
    const std::string place =
        m_status.target.folder + (m_status.target.host.empty() ? "" : " on " + m_status.target.host);
    const std::string sharers =
        all.servers > 1 ? " from " + std::to_string(all.servers) + " servers that share this folder" : "";
    if (!m_listProblem.empty())
        return end(ServerState::unchecked, doneText() + "; the folder could not be listed: " + m_listProblem);
    if (traces == 0) {
        return end(ServerState::failed,
                   doneText() + ", but no trace appeared in " + place +
                       (m_isFolderMissing ? ", which does not exist" : "") +
                       "; the profiler may not have started (see the server's log), or it writes to another "
                       "folder or disk");
    }
    const std::string found = doneText() + "; " + tracesText(traces) + othersText(written.others.size()) +
                              ", " + byteText(written.size_bytes) + ", in " + place + sharers;
    if (!written.parts.empty())
        return end(ServerState::failed,
                   found + "; partial files that were not merged: " + std::to_string(written.parts.size()));
    if (traces < all.needed())
        return end(ServerState::failed, found + "; expected " + (all.traces ? "" : "at least ") +
                                            tracesText(all.needed()) + " (" + m_status.expected.reason + ")");
    if (!isInTime) return end(ServerState::failed, found + "; they are still being written");
    const bool isShort = m_isTimedOut || !m_stopProblem.empty();
    end(isShort ? ServerState::failed : ServerState::recorded,
        found + (all.traces ? "" : " (number not checked: " + m_status.expected.reason + ")"));
}

void ServerRun::cancel()
{
    if (isOver(m_status.state) || m_isCanceled) return;
    m_isCanceled = true;
    switch (m_status.state) {
    case ServerState::recording:
        return stop();
    case ServerState::starting: // stopped once the start is answered
        QTimer::singleShot(m_options.cancelTimeout_s * 1000, this,
                           [this] { fail("interrupted; the server has not answered the start request"); });
        return;
    case ServerState::stopping:
        QTimer::singleShot(m_options.cancelTimeout_s * 1000, this,
                           [this] { fail("interrupted; the server has not answered the stop request"); });
        return;
    case ServerState::writing:
        return end(ServerState::failed, "interrupted; " + doneText() + "; its files were not checked");
    default:
        return end(ServerState::failed, "interrupted before the start");
    }
}

void ServerRun::end(ServerState state, const std::string& message)
{
    if (isOver(m_status.state)) return;
    for (QTimer* timer : {&m_alive, &m_report, &m_deadline})
        timer->stop();
    if (m_start != nullptr && m_status.state <= ServerState::ready) m_start->cancel();
    if (m_clock.isValid()) m_status.elapsed_s = double(m_clock.elapsed()) / 1000;
    m_status.message = message;
    m_status.state = state;
    emit changed();
    emit over();
}

} // namespace lockstep
