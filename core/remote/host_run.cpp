// SPDX-License-Identifier: Apache-2.0
#include "core/remote/host_run.h"

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/remote/clock_exchange.h"
#include "core/remote/remote.h"
#include "core/remote/slurm_remote.h"

namespace lockstep {

namespace {

constexpr int kMaxAgentFailures = 5;
constexpr size_t kMaxProblems = 100;
// Maximum gap in sequence numbers, as in a truncated log. Accepting a larger jump would hide every event up
// to the new number.
constexpr uint64_t kLongestGap = 10'000'000;
// Limits on the data that a host may send: an initial amount, because a program may print a lot when it
// starts, and a steady rate. Both are more than three times the amount that an agent copies from a program's
// output.
constexpr uint64_t kFirst_bytes = 96 << 20;
constexpr uint64_t kSteady_bytesPerS = 256 << 10;
constexpr uint64_t kFirstEvents = 300'000;
constexpr uint64_t kSteadyEventsPerS = 500;
constexpr uint64_t kMin_bytes = 4 << 20; // minimum storage per host, regardless of the number of hosts
constexpr size_t kMaxWorkers = 4096;     // maximum number of listed worker names
constexpr std::string_view kEndedWithJob = "its job ended before all events of the node were read";

} // namespace

HostRun::HostRun(Run& run, size_t index, HostPlan plan, std::string planJson, bool stays,
                 std::shared_ptr<const Remote> remote)
    : QObject(&run), m_run(run), m_index(index), m_plan(std::move(plan)), m_planJson(std::move(planJson)),
      m_client(std::move(remote), run.m_options.agent, this, run.m_record.hosts[index].agentFolder),
      m_retry(this), m_stays(stays)
{
    m_client.setIdleTimeout(run.m_options.giveUpConnecting_s);
    connect(&m_client, &AgentClient::waits, this, &HostRun::noteWait);
    connect(&m_client, &AgentClient::sentAfterEnd, this, [this] {
        addProblem({epochNow_ns(), std::string(kSkippedProblem),
                    "the host sent data after the end of its run; that data was not read", "", false});
        emit m_run.hostChanged(m_index);
    });
    m_retry.setSingleShot(true);
    connect(&m_retry, &QTimer::timeout, this,
            [this] { step(HostInput::retryDue, status().reason, conditions(), status().reasonHelp); });
}

Status HostRun::replayEvents()
{
    return m_events.open(m_run.eventFile(m_index), [this](std::string_view line) {
        const auto event = runEventFromLine(line);
        if (!event || event->seq <= status().lastSeq || event->seq - status().lastSeq > kLongestGap) return;
        apply(*event);
        m_run.replayEvent(m_index, *event);
    });
}

std::optional<int> HostRun::openOrder() const
{
    std::optional<int> order;
    for (size_t i = 0; i < m_plan.commands.size(); ++i) {
        if (m_endedCommands.contains(static_cast<int64_t>(i))) continue;
        order = std::min(order.value_or(m_plan.commands[i].order), m_plan.commands[i].order);
    }
    return order;
}

void HostRun::setState(HostState state, std::string reason, HelpTopic help)
{
    if (status().state == state && status().reason == reason) return;
    const bool wasFinal = isFinal(status().state);
    const std::string logText =
        record().host + ": " + std::string(hostStateName(state)) + (reason.empty() ? "" : ": " + reason);
    const bool isBad =
        state == HostState::failed || state == HostState::unreachable || state == HostState::linkLost;
    if (isBad)
        qCWarning(remoteLog, "%s", logText.c_str());
    else
        qCInfo(remoteLog, "%s", logText.c_str());
    if (isFinal(state) && !wasFinal) reportSkipped();
    status().state = state;
    status().reason = std::move(reason);
    status().reasonHelp = help;
    m_isWaitShown = false;
    emit m_run.hostChanged(m_index);
    if (isFinal(state) && !wasFinal) m_run.noteFinal(m_index);
}

HostConditions HostRun::conditions() const
{
    const std::optional<JobStatus>& job = m_run.m_status[m_index].job;
    HostConditions now;
    now.isStarted = m_run.m_record.hosts[m_index].wasStarted;
    now.needsLibrary = !m_plan.captureLibrary.empty();
    now.isStopRequested = m_stopGrace_s.has_value();
    now.isNode = isSlurmNode();
    now.isJobPending = job && (job->phase == JobPhase::submitting || job->phase == JobPhase::pending);
    return now;
}

void HostRun::step(HostInput input, std::string reason, const HostConditions& now, HelpTopic help)
{
    const auto next = hostStep(status().state, input, now);
    if (!next) return;
    // Closes first, so that the turn is released and the timer is stopped when hostChanged() is emitted.
    if (next->command == HostCommand::close) executeCommand(HostCommand::close);
    if (next->state == HostState::unreachable) {
        // Only stop requests come without a reason.
        reason = unreachableReason(reason.empty() ? "stopped before it started" : std::move(reason));
    }
    if (isFollowed(next->state)) {
        setState(next->state, followedReason());
    } else {
        setState(next->state, std::move(reason), help);
    }
    if (next->command != HostCommand::close) executeCommand(next->command);
}

void HostRun::executeCommand(HostCommand command)
{
    switch (command) {
    case HostCommand::none:
        return;
    case HostCommand::queue:
        return m_run.queueForTurn(this);
    case HostCommand::install:
        return install();
    case HostCommand::installLibrary:
        return installLibrary();
    case HostCommand::start:
        return startPlan();
    case HostCommand::follow:
        return follow();
    case HostCommand::sendStop:
        return sendStop();
    case HostCommand::retry:
        return waitForRetry();
    case HostCommand::readOverLogin:
        return readOverLogin();
    case HostCommand::close:
        m_run.endTurn(this);
        m_retry.stop();
        return;
    }
}

std::string HostRun::followedReason() const
{
    const std::optional<JobStatus>& job = m_run.m_status[m_index].job;
    const HostConditions now = conditions();
    const bool isShown = job && (job->silentSince_s || now.isJobPending || now.isStopRequested);
    return isShown ? jobSentence(*job) : std::string();
}

void HostRun::begin()
{
    m_failingSince.start();
    step(HostInput::begun);
}

void HostRun::connectNow()
{
    if (m_isDetached || isFinal(status().state)) return m_run.endTurn(this);
    step(HostInput::turn, status().reason, conditions(), status().reasonHelp);
}

void HostRun::install()
{
    m_client.install([this](Status done) {
        if (!done) return fail(done.error());
        if (!m_client.greeting().empty())
            addProblem({epochNow_ns(), "shell_prints", greetingText(m_client.greeting()), "", false});
        step(HostInput::installed);
    });
}

// Copies the library again before the start. It was copied when the host was checked, but if it were missing
// now, no process would report that.
void HostRun::installLibrary()
{
    m_client.installLibrary([this](Result<std::string> path) {
        if (!path) return fail(path.error());
        if (*path == m_plan.captureLibrary) return step(HostInput::libraryInstalled);
        step(HostInput::refused, "the path of its capture library was not known when the run was planned; "
                                 "start the run again once the host responds");
    });
}

void HostRun::startPlan()
{
    const std::vector<std::string>& missing = m_run.m_secrets.missing;
    if (!m_plan.secrets.empty() && !missing.empty() && !m_run.m_options.startsWithoutSecrets)
        return step(HostInput::refused, missingSecretsText(missing));
    m_client.start(m_planJson, record().runDir, m_run.firstOrder(), m_stays, [this](Status done) {
        if (!done) {
            m_isStartUnknown = m_client.lastLinkFailure() == LinkFailure::lost;
            return fail(done.error());
        }
        record().wasStarted = true;
        m_run.m_recordFile.save(
            [now = m_run.m_record] { return jsonFromRunRecord(now); },
            [this](const Status& saved) {
                if (!saved) addProblem({epochNow_ns(), "no_space_here", saved.error().message, "", false});
            });
        step(HostInput::started);
    });
}

void HostRun::readClocks()
{
    auto* exchange = new ClockExchange(m_client.remote(), m_client.quotedAgentPath(),
                                       m_run.m_options.giveUpConnecting_s, this);
    connect(exchange, &ClockExchange::finished, this, [this, exchange](const ClockOffset& offset) {
        exchange->deleteLater();
        if (!offset.isKnown) return;
        status().clockOffset_ns = offset.offset_ns;
        status().clockError_ns = offset.error_ns;
        status().roundTrip_ms = static_cast<double>(2 * offset.error_ns) / 1e6;
        emit m_run.hostChanged(m_index);
    });
}

void HostRun::follow()
{
    m_run.endTurn(this);
    if (status().linkLost_ns != 0) {
        status().linkLost_ns = 0;
        ++status().reconnects;
    }
    if (!status().roundTrip_ms) readClocks();
    m_client.follow(
        record().runDir, status().lastSeq + 1,
        [this](const RunEvent& event, std::string_view line) { return take(event, line); },
        [this](Status done) {
            if (!done) fail(done.error());
        });
    if (m_stopGrace_s) sendStop();
    if (m_releasedOrder > 0) release(m_releasedOrder);
    if (m_isFinishing) finish();
}

void HostRun::release(int order)
{
    m_releasedOrder = std::max(m_releasedOrder, order);
    if (status().state != HostState::running) return;
    m_client.go(record().runDir, order, [](Status) {}); // sent again after the reconnection if it was lost
}

void HostRun::stop(double grace_s)
{
    if (isSlurmNode()) return; // the job's login node stops the job
    m_stopGrace_s = grace_s;
    step(HostInput::stop);
}

void HostRun::sendStop()
{
    if (isSlurmNode() || std::exchange(m_isStopSent, true)) return;
    m_client.stop(record().runDir, *m_stopGrace_s, [this](Status done) {
        if (!done) m_isStopSent = false; // the agent records the end as an event
    });
}

void HostRun::finish()
{
    m_isFinishing = true;
    if (status().state != HostState::running || std::exchange(m_isFinishSent, true)) return;
    m_client.finish(record().runDir, [this](Status done) {
        if (!done) m_isFinishSent = false; // the request is sent again after the reconnection
    });
}

void HostRun::detach()
{
    m_isDetached = true;
    m_retry.stop();
    m_client.unfollow();
}

void HostRun::noteWait(const std::string& text)
{
    if (m_isDetached) return;
    // In a final state, a host can be silent only while its reports are collected.
    if (!isFinal(status().state)) {
        setState(status().state, text);
        m_isWaitShown = true;
    }
    emit m_run.hostWaits(m_index, text);
}

void HostRun::noteAlive()
{
    m_hasReceivedEvent = true;
    m_tries = 0;
    m_agentFailures = 0;
    if (m_isWaitShown) setState(status().state, isFollowed(status().state) ? followedReason() : "");
}

int64_t HostRun::age_s() const
{
    return std::max<int64_t>(0, epochNow_ns() - m_run.m_record.started_ns) / 1'000'000'000;
}

bool HostRun::exceedsLimits() const
{
    const auto age = static_cast<uint64_t>(age_s());
    return m_received_bytes > kFirst_bytes + kSteady_bytesPerS * age ||
           m_received > kFirstEvents + kSteadyEventsPerS * age;
}

uint64_t HostRun::storable_bytes() const
{
    const uint64_t share_bytes =
        m_run.m_options.storedEvents_bytes / std::max<uint64_t>(1, m_run.m_hosts.size());
    return std::clamp(share_bytes, kMin_bytes, kFirst_bytes) +
           kSteady_bytesPerS / 4 * static_cast<uint64_t>(age_s());
}

void HostRun::reportSkipped()
{
    const AgentClient::Skipped& skipped = m_client.skipped();
    if (skipped.lines() > 0) {
        std::string kinds;
        const auto add = [&kinds](uint64_t count, const char* what) {
            if (count > 0) kinds += (kinds.empty() ? "" : ", ") + std::to_string(count) + " " + what;
        };
        add(skipped.notEvents, "not events");
        add(skipped.refused, "with a duplicate or impossible sequence number");
        add(skipped.tooLong, "too long");
        addProblem({epochNow_ns(), std::string(kSkippedProblem),
                    "skipped event lines: " + std::to_string(skipped.lines()) + " (" +
                        byteText(static_cast<int64_t>(skipped.bytes)) + "), of which " + kinds,
                    "", false});
    }
    if (m_events.notStored() > 0) {
        addProblem({epochNow_ns(), "no_space_here",
                    "events not stored on this machine: " + std::to_string(m_events.notStored()) + " (" +
                        m_events.problem() + "); the complete log is in " + record().runDir + " on the host",
                    "", false});
    }
    if (status().problemsOmitted > 0) {
        status().problems.push_back(
            {epochNow_ns(), std::string(kSkippedProblem),
             "further problems of this host, not listed: " + std::to_string(status().problemsOmitted), "",
             false});
    }
}

bool HostRun::take(const RunEvent& event, std::string_view line)
{
    if (m_isDetached) return false;
    if (event.seq == 0) {
        noteAlive();
        if (event.kind == EventKind::waiting) handleWaiting(event);
        return true;
    }
    HostStatus& now = status();
    if (event.seq <= now.lastSeq || event.seq - now.lastSeq > kLongestGap) return false;
    noteAlive();
    m_waitsForSpace.invalidate();
    if (event.seq != now.lastSeq + 1) {
        addProblem({event.time_ns, "events_missing",
                    "events missing from the host's log: " + std::to_string(event.seq - now.lastSeq - 1) +
                        "; the log was truncated on the host",
                    "", false});
    }
    ++m_received;
    m_received_bytes += line.size() + 1;
    if (exceedsLimits()) {
        m_client.unfollow();
        step(HostInput::cutOff,
             "sent " + std::to_string(m_received) + " events (" +
                 byteText(static_cast<int64_t>(m_received_bytes)) +
                 "), more than a run of this age can produce; Lockstep stopped reading them");
        return true;
    }
    store(event, line);
    apply(event);
    m_run.noteEvent(m_index, event);
    emit m_run.hostChanged(m_index);
    return true;
}

void HostRun::store(const RunEvent& event, std::string_view line)
{
    if (m_events.append(line, storable_bytes()) || m_events.notStored() > 1) return;
    addProblem({event.time_ns, "no_space_here",
                "its events are currently not stored on this machine: " + m_events.problem() +
                    "; the host keeps them",
                "", false});
}

// Handles a run that has ended but cannot record its end on the host, because the host's disk is full. Its
// reports can still be collected.
void HostRun::handleWaiting(const RunEvent& event)
{
    if (!m_waitsForSpace.isValid()) m_waitsForSpace.start();
    if (!m_waitsForSpace.hasExpired(int64_t{1000} * m_run.m_options.giveUpConnecting_s))
        return setState(status().state, event.text);
    m_client.unfollow();
    step(HostInput::runEnded, event.text +
                                  "; its exit status is unknown until you free space there and run "
                                  "lockstep --attach " +
                                  m_run.m_record.id);
}

void HostRun::apply(const RunEvent& event)
{
    HostStatus& now = status();
    now.lastSeq = event.seq;
    now.lastEvent_ns = event.time_ns;
    if (now.firstEvent_ns == 0) now.firstEvent_ns = event.time_ns;
    noteClockPort(now, event);
    switch (event.kind) {
    case EventKind::started:
        if (event.isWaiting && event.order) {
            m_waitingOrder = static_cast<int>(*event.order);
        } else if (event.command) {
            m_waitingOrder.reset();
        }
        break;
    case EventKind::step:
        // A log may restart its count. A capture that lags behind others does not set the step back.
        now.step = event.path.empty() ? event.step : std::max(now.step, event.step);
        break;
    case EventKind::capture:
        if (!event.word.empty()) now.capture = event.word;
        if (!event.controller.empty()) now.controller = event.controller;
        if (!event.worker.empty() && now.profiledWorkers.size() < kMaxWorkers &&
            std::ranges::find(now.profiledWorkers, event.worker) == now.profiledWorkers.end())
            now.profiledWorkers.push_back(event.worker);
        break;
    case EventKind::sample:
        now.use = event.use;
        break;
    case EventKind::waiting:
        setState(now.state, event.text);
        break;
    case EventKind::error:
        addProblem({event.time_ns, event.word, event.text, event.line, true});
        break;
    case EventKind::exit:
        event.isRunEnd ? endRun(event) : applyExit(event);
        break;
    case EventKind::job:
        if (event.job && event.job->restarts > (now.job ? now.job->restarts : 0)) {
            addProblem({event.time_ns, std::string(kRequeuedProblem),
                        "the job was requeued; its nodes were not monitored after that, and reports of its "
                        "first start may have been overwritten",
                        "", false});
        }
        now.job = event.job;
        step(HostInput::job);
        break;
    default:
        break;
    }
}

void HostRun::appendLine(const std::string& line)
{
    m_events.append(line, storable_bytes());
}

void HostRun::addProblem(RunProblem problem)
{
    // If the same problem occurs again, it is not stored again.
    const auto isSame = [&problem](const RunProblem& known) {
        return known.word == problem.word && known.text == problem.text;
    };
    if (std::ranges::any_of(status().problems, isSame)) return;
    if (status().problems.size() >= kMaxProblems) {
        ++status().problemsOmitted;
        return;
    }
    qCWarning(remoteLog, "%s: %s: %s", record().host.c_str(), problem.word.c_str(), problem.text.c_str());
    status().problems.push_back(std::move(problem));
}

void HostRun::applyExit(const RunEvent& event)
{
    const auto commands = static_cast<int64_t>(m_plan.commands.size());
    if (event.command && *event.command >= 0 && *event.command < commands)
        m_endedCommands.insert(*event.command);
    if (event.dropped_bytes > 0)
        addProblem({event.time_ns, std::string(kSkippedProblem),
                    event.name + ": " + byteText(event.dropped_bytes) +
                        " of output lost, because the disk of its run folder was full",
                    "", false});
    if (event.code == 0) return;
    m_exitReason = event.name + ": ";
    if (!event.text.empty()) {
        m_exitReason += event.text;
    } else if (event.signal.value_or(0) != 0) {
        m_exitReason += "ended by signal " + std::to_string(*event.signal);
    } else {
        m_exitReason += "exit status " + std::to_string(event.code.value_or(-1));
    }
    if (status().job && !status().job->text.empty()) m_exitReason = jobSentence(*status().job);
}

void HostRun::endRun(const RunEvent& event)
{
    status().exitCode = event.code;
    const std::optional<JobStatus>& job = status().job;
    // A job that Ray reports as STOPPED did not finish its work, regardless of who requested the stop.
    const bool isStoppedByRay = job && job->scheduler == SchedulerKind::ray && job->state == "STOPPED";
    const bool isAsRequested = event.wasStopped && !m_isFinishing && !isStoppedByRay;
    HostConditions now = conditions();
    now.isSuccess = !isStoppedByRay && (event.code == 0 || isAsRequested);
    if (now.isSuccess)
        return step(HostInput::runEnded,
                    isAsRequested && (event.code != 0 || job) ? "stopped as requested" : "", now);
    if (isStoppedByRay) return step(HostInput::runEnded, jobSentence(*job), now);
    if (isSlurmNode()) {
        status().endedWithJob = true;
        return step(HostInput::runEnded, std::string(kEndedWithJob), now);
    }
    std::string reason = m_exitReason.empty() ? "the run failed" : m_exitReason;
    const LedgerEntry* const failed = m_run.m_ledger.firstFailure(status().host);
    if (failed != nullptr) reason += "; " + writerEndText(*failed, knownTotalSteps(m_run.m_config));
    const RunProblem* const cause = loggedCause(status());
    if (cause == nullptr) return step(HostInput::runEnded, reason, now);
    step(HostInput::runEnded, reason + "; " + cause->text, now,
         cause->word == "disk_full" ? HelpTopic::diskFull : HelpTopic::none);
}

void HostRun::fail(const Error& error)
{
    m_run.endTurn(this);
    if (m_isDetached || isFinal(status().state)) return;
    m_isStopSent = m_isFinishSent = false;
    HostConditions now = conditions();
    now.isJobOver = isSlurmNode() && isJobGone(error.message);
    if (now.isJobOver) return step(HostInput::linkFailed, "its job has ended", now);
    now.mayRetry = mayRetry(error);
    if (!now.mayRetry) {
        const std::string_view word =
            m_hasTimedOut ? "unreachable" : linkFailureName(m_client.lastLinkFailure());
        addProblem({epochNow_ns(), std::string(word), error.message, "", false});
    }
    step(HostInput::linkFailed, error.message, now, error.help);
}

bool HostRun::mayRetry(const Error& error)
{
    const LinkFailure link = m_client.lastLinkFailure();
    const bool lives = record().wasStarted;
    const bool mayHelp =
        isWorthRetrying(link) || (error.kind != ErrorKind::corrupt && link == LinkFailure::none && lives &&
                                  ++m_agentFailures < kMaxAgentFailures);
    if (!mayHelp) return false;
    if (lives && status().linkLost_ns == 0) status().linkLost_ns = epochNow_ns();
    if (lives && std::exchange(m_hasReceivedEvent, false)) m_failingSince.restart();
    const RunOptions& options = m_run.m_options;
    const int limit_s = lives ? options.giveUpLink_s : options.giveUpConnecting_s;
    m_hasTimedOut = m_failingSince.hasExpired(int64_t{1000} * limit_s);
    return !m_hasTimedOut;
}

void HostRun::waitForRetry()
{
    const RunOptions& options = m_run.m_options;
    const double wait_s = std::min(options.longestRetry_s, options.firstRetry_s * std::pow(2, m_tries++));
    m_client.forgetInstallation();
    m_retry.start(static_cast<int>(wait_s * 1000));
}

// Reads a node's events through the login node, which shares the disk, because the node is unreachable after
// its job has ended. The host that submitted the job reports how the job ended.
void HostRun::readOverLogin()
{
    if (m_overLogin != nullptr) return;
    m_overLogin = new AgentClient(m_run.m_hosts.front()->client()->remote(), m_run.m_options.agent, this,
                                  record().agentFolder);
    m_overLogin->setIdleTimeout(m_run.m_options.giveUpConnecting_s);
    m_overLogin->readRecorded(
        record().runDir, status().lastSeq + 1,
        [this](const RunEvent& event, std::string_view line) { return take(event, line); },
        [this](const Status&) {
            if (isFinal(status().state)) return;
            status().endedWithJob = true;
            step(HostInput::recordsRead, std::string(kEndedWithJob));
        });
}

std::string HostRun::unreachableReason(std::string reason) const
{
    const bool isStarted = conditions().isStarted;
    if (m_isStartUnknown && !isStarted) reason += "; it is not known whether the run was started there";
    if (isStarted)
        reason += "; the run continues there. Resume watching with lockstep --attach " + m_run.m_record.id;
    return reason;
}

} // namespace lockstep
