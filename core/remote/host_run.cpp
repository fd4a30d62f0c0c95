// SPDX-License-Identifier: Apache-2.0
#include "core/remote/host_run.h"

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/remote/clock_exchange.h"
#include "core/remote/remote_log.h"
#include "core/remote/slurm_remote.h"

namespace lockstep {

namespace {

constexpr int kMostAgentFailures = 5;
constexpr size_t kMostProblems = 100;
// Events that may be missing from a log that was cut. A larger jump would silence every event until that
// number.
constexpr uint64_t kLongestGap = 10'000'000;
// What a host may send: so much at once, since a program may print much when it starts, and so much on
// average. Three times what an agent copies of a program's output, and more.
constexpr uint64_t kFirst_bytes = 96 << 20;
constexpr uint64_t kSteady_bytesPerS = 256 << 10;
constexpr uint64_t kFirstEvents = 300'000;
constexpr uint64_t kSteadyEventsPerS = 500;
constexpr uint64_t kFewest_bytes = 4 << 20; // stored of each host, however many there are
constexpr size_t kMostWorkers = 4096;       // whose names are listed
constexpr std::string_view kEndedWithJob = "its job ended before the node's events were all read";

} // namespace

HostRun::HostRun(Run& run, size_t index, HostPlan plan, std::string planJson, bool stays,
                 std::shared_ptr<const Remote> remote)
    : QObject(&run), m_run(run), m_index(index), m_plan(std::move(plan)), m_planJson(std::move(planJson)),
      m_client(std::move(remote), run.m_options.agent, this, run.m_record.hosts[index].agentFolder),
      m_retry(this), m_stays(stays)
{
    m_client.setPatience(run.m_options.giveUpConnecting_s);
    connect(&m_client, &AgentClient::waits, this, &HostRun::noteWait);
    connect(&m_client, &AgentClient::sentAfterEnd, this, [this] {
        addProblem({epochNow_ns(), std::string(kSkippedWord),
                    "it sent more after the end of its run, which was not read", "", false});
        emit m_run.hostChanged(m_index);
    });
    m_retry.setSingleShot(true);
    connect(&m_retry, &QTimer::timeout, this, [this] { step(HostInput::retryDue, status().reason); });
}

Status HostRun::recall()
{
    return m_events.open(m_run.eventFile(m_index), [this](std::string_view line) {
        const auto event = runEventFromLine(line);
        if (!event || event->seq <= status().lastSeq || event->seq - status().lastSeq > kLongestGap) return;
        apply(*event);
        m_run.recallEvent(m_index, *event);
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

void HostRun::setState(HostState state, std::string reason)
{
    if (status().state == state && status().reason == reason) return;
    const bool wasFinal = isFinal(status().state);
    const std::string told =
        record().host + ": " + std::string(hostStateName(state)) + (reason.empty() ? "" : ": " + reason);
    const bool isBad =
        state == HostState::failed || state == HostState::unreachable || state == HostState::linkLost;
    if (isBad)
        qCWarning(remoteLog, "%s", told.c_str());
    else
        qCInfo(remoteLog, "%s", told.c_str());
    if (isFinal(state) && !wasFinal) tellSkipped();
    status().state = state;
    status().reason = std::move(reason);
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

void HostRun::step(HostInput input, std::string reason)
{
    step(input, std::move(reason), conditions());
}

void HostRun::step(HostInput input, std::string reason, const HostConditions& now)
{
    const auto next = hostStep(status().state, input, now);
    if (!next) return;
    // Closes first, so that receivers of hostChanged() find the turn released and the timer stopped.
    if (next->command == HostCommand::close) carryOut(HostCommand::close);
    if (next->state == HostState::unreachable) {
        // Only stops come without a reason.
        reason = unreachableReason(reason.empty() ? "stopped before it began" : std::move(reason));
    }
    setState(next->state, isFollowed(next->state) ? followedReason() : std::move(reason));
    if (next->command != HostCommand::close) carryOut(next->command);
}

void HostRun::carryOut(HostCommand command)
{
    switch (command) {
    case HostCommand::none:
        return;
    case HostCommand::queue:
        return m_run.queueForTurn(this);
    case HostCommand::install:
        return install();
    case HostCommand::putLibrary:
        return putLibrary();
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
    step(HostInput::turn, status().reason);
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

// It was put there when the host was asked; what happened to it since then, a process that does not find it
// would not report.
void HostRun::putLibrary()
{
    m_client.putLibrary([this](Result<std::string> path) {
        if (!path) return fail(path.error());
        if (*path == m_plan.captureLibrary) return step(HostInput::libraryPut);
        step(HostInput::refused,
             "the place of its capture library was not known when the run was planned; start "
             "the run again when the host answers");
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
    auto* exchange =
        new ClockExchange(m_client.remote(), m_client.agentWord(), m_run.m_options.giveUpConnecting_s, this);
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
    m_client.go(record().runDir, order, [](Status) {}); // a lost one is said again after the reconnection
}

void HostRun::stop(double grace_s)
{
    if (isSlurmNode()) return; // the job's login node stops it
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
        if (!done) m_isFinishSent = false; // said again after the reconnection
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
    if (!isFinal(status().state)) { // else it is its reports that are waited for
        setState(status().state, text);
        m_isWaitShown = true;
    }
    emit m_run.hostWaits(m_index, text);
}

void HostRun::noteAlive()
{
    m_hasHeard = true;
    m_tries = 0;
    m_agentFailures = 0;
    if (m_isWaitShown) setState(status().state, isFollowed(status().state) ? followedReason() : "");
}

int64_t HostRun::age_s() const
{
    return std::max<int64_t>(0, epochNow_ns() - m_run.m_record.started_ns) / 1'000'000'000;
}

bool HostRun::isTooMuch() const
{
    const auto age = static_cast<uint64_t>(age_s());
    return m_received_bytes > kFirst_bytes + kSteady_bytesPerS * age ||
           m_received > kFirstEvents + kSteadyEventsPerS * age;
}

uint64_t HostRun::storable_bytes() const
{
    const uint64_t share_bytes =
        m_run.m_options.storedEvents_bytes / std::max<uint64_t>(1, m_run.m_hosts.size());
    return std::clamp(share_bytes, kFewest_bytes, kFirst_bytes) +
           kSteady_bytesPerS / 4 * static_cast<uint64_t>(age_s());
}

void HostRun::tellSkipped()
{
    const AgentClient::Skipped& skipped = m_client.skipped();
    if (skipped.lines() > 0) {
        std::string kinds;
        const auto add = [&kinds](uint64_t count, const char* what) {
            if (count > 0) kinds += (kinds.empty() ? "" : ", ") + std::to_string(count) + " " + what;
        };
        add(skipped.notEvents, "that are not events");
        add(skipped.refused, "with a number that was seen before or is impossible");
        add(skipped.tooLong, "that are too long");
        addProblem({epochNow_ns(), std::string(kSkippedWord),
                    std::to_string(skipped.lines()) + " lines (" +
                        byteText(static_cast<int64_t>(skipped.bytes)) +
                        ") of its events were skipped: " + kinds,
                    "", false});
    }
    if (m_events.notStored() > 0) {
        addProblem({epochNow_ns(), "no_space_here",
                    std::to_string(m_events.notStored()) + " of its events are not stored here: " +
                        m_events.problem() + "; the whole log is in " + record().runDir + " on the host",
                    "", false});
    }
    if (status().problemsLeftOut > 0) {
        status().problems.push_back(
            {epochNow_ns(), std::string(kSkippedWord),
             std::to_string(status().problemsLeftOut) + " further problems of this host are not listed", "",
             false});
    }
}

bool HostRun::take(const RunEvent& event, std::string_view line)
{
    if (m_isDetached) return false;
    if (event.seq == 0) {
        noteAlive();
        if (event.kind == EventKind::waiting) takeWaiting(event);
        return true;
    }
    HostStatus& now = status();
    if (event.seq <= now.lastSeq || event.seq - now.lastSeq > kLongestGap) return false;
    noteAlive();
    m_waitsForSpace.invalidate();
    if (event.seq != now.lastSeq + 1) {
        addProblem({event.time_ns, "events_missing",
                    std::to_string(event.seq - now.lastSeq - 1) +
                        " events of the host's log are missing: the log there was cut",
                    "", false});
    }
    ++m_received;
    m_received_bytes += line.size() + 1;
    if (isTooMuch()) {
        m_client.unfollow();
        step(HostInput::cutOff, "sent " + std::to_string(m_received) + " events (" +
                                    byteText(static_cast<int64_t>(m_received_bytes)) +
                                    "), more than a run of this age can produce; following was stopped");
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
    addProblem(
        {event.time_ns, "no_space_here",
         "its events are not stored here for now: " + m_events.problem() + "; they are kept on the host", "",
         false});
}

// The run there has ended, and its end cannot be recorded. Its reports can be collected all the same.
void HostRun::takeWaiting(const RunEvent& event)
{
    if (!m_waitsForSpace.isValid()) m_waitsForSpace.start();
    if (!m_waitsForSpace.hasExpired(int64_t{1000} * m_run.m_options.giveUpConnecting_s))
        return setState(status().state, event.text);
    m_client.unfollow();
    step(HostInput::runEnded, event.text +
                                  "; its exit status is not known until space is freed there and "
                                  "lockstep --attach " +
                                  m_run.m_record.id + " is run");
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
        now.step = event.step;
        break;
    case EventKind::capture:
        if (!event.word.empty()) now.capture = event.word;
        if (!event.controller.empty()) now.controller = event.controller;
        if (!event.worker.empty() && now.profiledWorkers.size() < kMostWorkers &&
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
            addProblem({event.time_ns, std::string(kRequeuedWord),
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

void HostRun::keepLine(const std::string& line)
{
    m_events.append(line, storable_bytes());
}

void HostRun::addProblem(RunProblem problem)
{
    // The same thing again and again is one problem.
    const auto isSame = [&problem](const RunProblem& known) {
        return known.word == problem.word && known.text == problem.text;
    };
    if (std::ranges::any_of(status().problems, isSame)) return;
    if (status().problems.size() >= kMostProblems) {
        ++status().problemsLeftOut;
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
        addProblem({event.time_ns, std::string(kSkippedWord),
                    event.name + ": " + byteText(event.dropped_bytes) +
                        " of its output were lost: the disk of its run folder was full",
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
    // Ray's STOPPED is never a job that did its work, whoever asked for it.
    const bool isStoppedByRay = job && job->scheduler == SchedulerKind::ray && job->state == "STOPPED";
    const bool isAsAsked = event.wasStopped && !m_isFinishing && !isStoppedByRay;
    HostConditions now = conditions();
    now.isGood = !isStoppedByRay && (event.code == 0 || isAsAsked);
    if (now.isGood)
        return step(HostInput::runEnded, isAsAsked && (event.code != 0 || job) ? "stopped as asked" : "",
                    now);
    if (isStoppedByRay) return step(HostInput::runEnded, jobSentence(*job), now);
    if (isSlurmNode()) {
        status().endedWithJob = true;
        return step(HostInput::runEnded, std::string(kEndedWithJob), now);
    }
    std::string reason = m_exitReason.empty() ? "the run failed" : m_exitReason;
    const auto& problems = status().problems;
    const auto last = std::find_if(problems.rbegin(), problems.rend(),
                                   [](const RunProblem& problem) { return problem.isOfLog; });
    if (last != problems.rend()) reason += "; " + last->text;
    step(HostInput::runEnded, reason, now);
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
            m_isImpatient ? "unreachable" : linkFailureName(m_client.lastLinkFailure());
        addProblem({epochNow_ns(), std::string(word), error.message, "", false});
    }
    step(HostInput::linkFailed, error.message, now);
}

bool HostRun::mayRetry(const Error& error)
{
    const LinkFailure link = m_client.lastLinkFailure();
    const bool lives = record().wasStarted;
    const bool isWorth =
        isWorthRetrying(link) || (error.kind != ErrorKind::corrupt && link == LinkFailure::none && lives &&
                                  ++m_agentFailures < kMostAgentFailures);
    if (!isWorth) return false;
    if (lives && status().linkLost_ns == 0) status().linkLost_ns = epochNow_ns();
    if (lives && std::exchange(m_hasHeard, false)) m_failingSince.restart();
    const RunOptions& options = m_run.m_options;
    const int limit_s = lives ? options.giveUpLink_s : options.giveUpConnecting_s;
    m_isImpatient = m_failingSince.hasExpired(int64_t{1000} * limit_s);
    return !m_isImpatient;
}

void HostRun::waitForRetry()
{
    const RunOptions& options = m_run.m_options;
    const double wait_s = std::min(options.longestRetry_s, options.firstRetry_s * std::pow(2, m_tries++));
    m_client.forgetInstallation();
    m_retry.start(static_cast<int>(wait_s * 1000));
}

// The way to a node ends with its job; its events are on a disk that the login node shares. How the job ended
// is reported where it was submitted.
void HostRun::readOverLogin()
{
    if (m_overLogin != nullptr) return;
    m_overLogin = new AgentClient(m_run.m_hosts.front()->client()->remote(), m_run.m_options.agent, this,
                                  record().agentFolder);
    m_overLogin->setPatience(m_run.m_options.giveUpConnecting_s);
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
    if (m_isStartUnknown && !isStarted) reason += "; whether the run was started there is not known";
    if (isStarted)
        reason += "; what was started there continues, and lockstep --attach " + m_run.m_record.id +
                  " finds it again";
    return reason;
}

} // namespace lockstep
