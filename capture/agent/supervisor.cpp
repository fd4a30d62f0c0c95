// SPDX-License-Identifier: Apache-2.0
#include "capture/agent/supervisor.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iterator>
#include <thread>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/agent/command_exit.h"
#include "capture/agent/log_drain.h"
#include "capture/agent/other_runs.h"
#include "capture/agent/run_folder.h"
#include "core/base/json_fields.h"
#include "core/base/text.h"
#include "core/scheduler/job_answer.h"

namespace lockstep::agent {

namespace {

using namespace std::chrono_literals;

constexpr auto kTick = 100ms;
constexpr auto kSampleEvery = 1s;
constexpr auto kScanEvery = 2s;
constexpr int kScanShare = 20; // the pause after a scan is at least this many times its duration
constexpr auto kHeartbeatInterval = 5s;
constexpr auto kReportTimeout =
    30s; // after the last command: longest wait while unfinished reports do not change
constexpr auto kWriterTimeout = 10min; // longest wait for a profiler that is still running
// Longest wait without a change while processes that the commands left behind are still running; and the same
// limit after a failure.
constexpr auto kLeftoverTimeout = 30s, kLeftoverTimeoutFailed = 10s;
constexpr auto kRestartEvery = 5s; // interval between restarts of a killed follower
constexpr auto kKillTimeout = 10s; // how long processes may take to end after SIGKILL

// Returns the error for a secret that was lost with an earlier agent or never sent.
Status missingSecret(const std::string& name)
{
    return makeError(ErrorKind::notFound,
                     "the value of " + name +
                         " is not known to the agent, which keeps secrets in memory only; "
                         "start the run again");
}

// Returns a patience in seconds that overrides the default, for tests and sites with special needs.
std::optional<std::chrono::seconds> timeoutFromEnvironment()
{
    const char* const text = std::getenv("LOCKSTEP_AGENT_LEFT_PATIENCE_S");
    const auto seconds = text != nullptr ? parseInt(text) : std::nullopt;
    if (!seconds || *seconds < 0 || *seconds > 86'400) return std::nullopt;
    return std::chrono::seconds(*seconds);
}

// Returns a string such as "3 processes are still running (bash 71, sleep 72, sleep 73)".
std::string processesText(const std::vector<LiveProcess>& processes)
{
    constexpr size_t kMaxNames = 8;
    std::string text =
        std::to_string(processes.size()) +
        (processes.size() == 1 ? " process is still running (" : " processes are still running (");
    for (size_t i = 0; i < std::min(kMaxNames, processes.size()); ++i)
        text += (i > 0 ? ", " : "") + processes[i].name + " " + std::to_string(processes[i].pid);
    if (processes.size() > kMaxNames)
        text += " and " + std::to_string(processes.size() - kMaxNames) + " more";
    return text + ")";
}

void note(LogLevel level, const std::string& text)
{
    agentLog().note(level, "supervisor", text);
}

} // namespace

Supervisor::Supervisor(RunFolder folder, NodePlan plan, const Secrets& secrets, EventLog log,
                       RunHistory history)
    : m_folder(std::move(folder)), m_plan(std::move(plan)), m_secrets(secrets),
      m_missingSecrets(provideSecrets(m_plan, secrets)), m_log(std::move(log)), m_history(std::move(history)),
      m_tick(m_folder.pollingInterval(kTick)), m_sampler(m_folder.path()),
      m_reports(m_plan.reportRoots, workingFolderOfRun(m_folder),
                m_history.started_ns > 0 ? m_history.started_ns : wallClock_ns(), m_history.reports, m_log),
      m_captureLogs(m_folder.captureLogFile(), m_plan.reportRoots, m_history.captureLogs, m_log),
      m_launches(m_folder.path(), m_history.launches, m_log),
      m_clocks(m_folder, m_plan.exchangesClocks, m_log)
{
    m_watches.reserve(m_plan.commands.size());
}

int Supervisor::run()
{
    if (m_history.hasEnded) return 0;
    Json started{{"pid", ::getpid()}, {"commands", m_plan.commands.size()}};
    if (m_history.hasStarted) started["resumed"] = true;
    note(LogLevel::info, (m_history.hasStarted ? "resumed, pid " : "started, pid ") +
                             std::to_string(::getpid()) + ", lockstep-agent " LOCKSTEP_VERSION);
    m_log.add("started", std::move(started));
    m_clocks.begin();
    findOtherRuns();
    const int code = writeFiles() ? runCommands() : 1;
    if (code == 0) stayUntilStopped();
    if (m_stopGrace_s && !m_keepsProcesses) endLeftovers();
    for (CommandWatch& watch : m_watches)
        watch.follow(true);
    waitForReports(code == 0);
    findOtherRuns();
    m_captureLogs.reportNew();
    m_clocks.end();
    note(LogLevel::info, "exiting with status " + std::to_string(code));
    // Written before the run's end is recorded, so that any reader who sees the end can also read the log.
    const Status status = writeAgentLog(m_folder, m_secrets);
    m_log.add("exit", {{"run", true}, {"code", code}, {"stopped", m_stopGrace_s.has_value()}});
    m_folder.releaseReserve();
    for (bool isReported = false; !m_log.flush();) {
        if (!std::exchange(isReported, true))
            note(LogLevel::warning, "waiting for disk space to write the last event");
        RunFolder::setWaitsForSpace(true);
        std::this_thread::sleep_for(kSampleEvery);
    }
    if (!status && !writeAgentLog(m_folder, m_secrets)) {
    } // the events were still written, because space was reserved for them
    return code;
}

void Supervisor::fail(const char* failure, Json fields)
{
    if (!m_history.failures.insert(failure).second) return;
    fields["failure"] = failure;
    note(LogLevel::warning, std::string(failure) + ": " + textAt(fields, "text"));
    m_log.add("error", std::move(fields));
}

// Called when the run begins, and again when it ends to find runs that began later.
void Supervisor::findOtherRuns()
{
    const int64_t began_ns = m_history.started_ns > 0 ? m_history.started_ns : m_began_ns;
    const std::vector<ReportPlace> own = reportPlaces(m_folder);
    for (const OtherRun& run : otherRuns(m_folder, began_ns)) {
        const std::string folder = run.commonFolder(own);
        if (folder.empty()) continue;
        fail("shared_folder", {{"text", "run " + run.id + " also writes to " + folder +
                                            " now: a report there may belong to either run. Give "
                                            "each run its own save_path"}});
        return;
    }
}

bool Supervisor::writeFiles()
{
    std::error_code error;
    if (std::filesystem::exists(m_folder.commandFolder(0), error))
        return true; // an earlier supervisor wrote the files
    for (const PlannedFile& file : m_plan.files) {
        const auto path = std::filesystem::path(m_plan.workingFolder) / file.path;
        const auto written = writeTextFile(path, file.content, file.isExecutable ? 0700 : 0600);
        if (written) continue;
        fail("file", {{"text", written.error().message}});
        return false;
    }
    return true;
}

int Supervisor::runCommands()
{
    for (size_t index = 0; index < m_plan.commands.size(); ++index) {
        if (!waitForOrder(index)) return 1;
        if (const int code = runCommand(index); code != 0) return code;
    }
    return 0;
}

// Waits for commands of other hosts that have a lower order. Returns false if the run is to be stopped
// instead.
bool Supervisor::waitForOrder(size_t index)
{
    const Command& command = m_plan.commands[index];
    for (bool isReported = false;; std::this_thread::sleep_for(m_tick)) {
        handleStopRequest();
        std::error_code error;
        const bool wasStarted = std::filesystem::exists(m_folder.commandFolder(index) / "monitor.pid", error);
        if (wasStarted) return true;
        if (m_stopGrace_s) return false;
        if (command.order <= m_folder.allowedOrder()) return true;
        if (!std::exchange(isReported, true)) {
            m_log.add(
                "started",
                {{"command", index}, {"name", command.name}, {"order", command.order}, {"waiting", true}});
        }
        round();
    }
}

int Supervisor::runCommand(size_t index)
{
    const auto folder = m_folder.commandFolder(index);
    const Command& command = m_plan.commands[index];
    const RunHistory::CommandHistory& history = m_history.commands[index];
    std::error_code error;
    const bool wasStarted = std::filesystem::exists(folder / "monitor.pid", error);
    const auto started = wasStarted || m_missingSecrets.empty() ? startCommandMonitor(command, folder)
                                                                : missingSecret(m_missingSecrets.front());
    if (!history.isStartReported)
        m_log.add("started", {{"command", index}, {"name", command.name}, {"argv", command.argv}});
    if (!started) {
        CommandExit exit;
        exit.reason = started.error().message;
        reportExit(index, exit);
        return 1;
    }
    m_watches.emplace_back(index, folder, history, m_log, m_plan.known, m_history.failures,
                           m_history.started_ns);
    const CommandExit exit = waitForEnd(index);
    // A command's output is reported before its end, as far as the disk has room.
    m_watches.back().follow(true);
    if (command.isFollower) recordJob();
    reportExit(index, exit);
    return exit.shellStatus();
}

CommandExit Supervisor::waitForEnd(size_t index)
{
    const auto folder = m_folder.commandFolder(index);
    while (true) {
        if (const auto ended = readExit(folder)) return *ended;
        const bool isWatched = RunFolder::readPidFile(folder / "monitor.pid").has_value();
        if (!isWatched && !RunFolder::readPidFile(folder / "child.pid")) {
            if (const auto ended = readExit(folder)) return *ended;
            if (m_plan.commands[index].isFollower) {
                restartFollower(index);
                round();
                std::this_thread::sleep_for(m_tick);
                continue;
            }
            CommandExit unknown;
            unknown.reason = "the process that watches the command was killed; the exit status is unknown";
            return unknown;
        }
        round();
        // The monitor has not yet written how the command ended.
        std::error_code error;
        const bool wasSeen = std::filesystem::exists(folder / "child.pid", error);
        const bool waits = m_isDiskFull && wasSeen && !RunFolder::readPidFile(folder / "child.pid");
        if (waits) m_folder.releaseReserve();
        RunFolder::setWaitsForSpace(waits);
        std::this_thread::sleep_for(m_tick);
    }
}

// A job continues even if the process that follows it on this host is killed.
void Supervisor::restartFollower(size_t index)
{
    if (Clock::now() < m_nextRestart) return;
    m_nextRestart = Clock::now() + kRestartEvery;
    const auto folder = m_folder.commandFolder(index);
    removeStartRecord(folder);
    const Status started = startCommandMonitor(m_plan.commands[index], folder);
    note(LogLevel::warning,
         started ? "the process that follows the job was killed; restarted" : started.error().message);
    if (!started) return;
    fail("follower_restarted",
         {{"text", "the process that follows the job on this host was killed; it was restarted and continues "
                   "with the same job. If this host kills processes at logout (KillUserProcesses), run "
                   "loginctl enable-linger"}});
}

void Supervisor::recordJob()
{
    const auto record = readTextFile(m_folder.jobFile());
    if (!record || *record == m_jobRecord) return;
    m_jobRecord = *record;
    Json fields = jsonFromJobStatus(jobStatusFromJson(jsonFrom(*record)));
    if (fields == m_job) return;
    m_job = fields;
    m_log.add("job", std::move(fields));
}

void Supervisor::reportExit(size_t index, const CommandExit& exit)
{
    if (m_history.commands[index].isExitReported) return;
    m_launches.reportNew();
    const bool isLast = index + 1 == m_plan.commands.size();
    if (isLast && m_plan.runsScript() && m_launches.profiledCount() == 0) {
        fail("no_launch",
             {{"text",
               "the script did not start the training through a program that Lockstep recognizes, so nothing "
               "was recorded. Programs that are started by absolute path are not recognized; check the "
               "framework of the session"}});
    }
    note(LogLevel::info,
         "command " + std::to_string(index) + " ended, status " + std::to_string(exit.shellStatus()));
    m_log.add("exit", {{"command", index},
                       {"name", m_plan.commands[index].name},
                       {"code", exit.code},
                       {"signal", exit.signal},
                       {"text", exitText(exit)},
                       {"dropped_bytes", exit.droppedBytes}});
}

// Performs the periodic tasks during any wait.
void Supervisor::round()
{
    for (CommandWatch& watch : m_watches) {
        if (!m_isDiskFull) watch.follow(false);
    }
    if (std::ranges::any_of(m_plan.commands, &Command::isFollower)) recordJob();
    writeHeartbeat();
    handleStopRequest();
}

void Supervisor::writeHeartbeat()
{
    const auto now = Clock::now();
    if (now >= m_nextSample) {
        m_nextSample = now + kSampleEvery;
        checkDisk();
        Json fields = fieldsOf(m_sampler.sample());
        if (const auto disks = m_reports.freeBytes(m_folder.path()); !disks.empty()) fields["disks"] = disks;
        if (!m_isDiskFull) m_log.add("gpu", std::move(fields));
        m_clocks.writeFindings(!m_isDiskFull);
    }
    if (!m_isDiskFull) m_launches.reportNew();
    m_reports.reportSteps();
    if (now >= m_nextScan) {
        m_captureLogs.reportNew();
        m_reports.reportChanges();
        const auto end = Clock::now();
        m_nextScan = end + std::max<Clock::duration>(kScanEvery, (end - now) * kScanShare);
    }
    if (now >= m_nextHeartbeat && !m_isDiskFull) {
        m_nextHeartbeat = now + kHeartbeatInterval;
        m_log.add("heartbeat", Json::object());
    }
}

// If the disk is full, only essential events are written, into reserved space. Output remains in the log
// files until there is space.
void Supervisor::checkDisk()
{
    struct statvfs disk = {};
    const bool isLow = ::statvfs(m_folder.path().c_str(), &disk) == 0 &&
                       uint64_t(disk.f_bavail) * disk.f_frsize < kLowDisk_bytes;
    m_isDiskFull = !m_log.flush() || isLow;
    if (!m_isDiskFull) return;
    fail("disk_full",
         {{"text", m_folder.path().string() + ": the disk is full: output is dropped and reports may be "
                                              "cut short. Free space; the run continues meanwhile"}});
    // The reserve is released only for an event that does not fit otherwise, because other programs
    // immediately use any free space.
    if (!m_log.isBlocked()) return;
    m_folder.releaseReserve();
    m_log.flush();
}

// Keeps watching a node whose processes are started by other programs, because nothing on this node shows
// when they are done.
void Supervisor::stayUntilStopped()
{
    std::error_code error;
    if (!m_plan.commands.empty() && !std::filesystem::exists(m_folder.stayFile(), error)) return;
    for (handleStopRequest(); !m_stopGrace_s; round())
        std::this_thread::sleep_for(m_tick);
}

// Sends SIGTERM to everything that the run started, waits for the profiler to flush, then sends SIGKILL. A
// later request may change the grace period.
void Supervisor::handleStopRequest()
{
    if (const auto request = readTextFile(m_folder.stopFile())) {
        const Json requested = jsonFrom(*request);
        m_keepsProcesses = boolAt(requested, "keep");
        applyStopRequest(std::clamp(realAt(requested, "grace_s", 30.0), 0.0, 1e6));
    }
    if (!m_stopGrace_s || m_keepsProcesses || Clock::now() < m_killAt || !hasLeftovers()) return;
    fail("stop_ignored",
         {{"text",
           "the program did not exit within the grace period and was killed; reports may be missing"}});
    signalCommands(SIGKILL);
}

// Followers receive no signal. They read the stop request and end once the scheduler has ended the job.
void Supervisor::signalCommands(int signal) const
{
    for (size_t i = 0; i < m_watches.size(); ++i) {
        if (!m_plan.commands[i].isFollower) signalCommand(m_folder.commandFolder(i), signal);
    }
}

void Supervisor::applyStopRequest(double grace_s)
{
    if (m_stopGrace_s == grace_s) return;
    const bool isFirst = !std::exchange(m_stopGrace_s, grace_s);
    note(LogLevel::info, "stop requested, grace period " + std::to_string(grace_s) + " s");
    const auto& recorded = m_history.stop;
    const bool isReported = isFirst && recorded && recorded->second == grace_s;
    const auto since = isReported ? std::chrono::nanoseconds(wallClock_ns() - recorded->first) : 0ns;
    m_killAt = Clock::now() + std::chrono::milliseconds(static_cast<int64_t>(grace_s * 1000)) - since;
    if (!isReported) m_log.add("capture", {{"state", "stopping"}, {"grace_s", grace_s}});
    if (isFirst && !m_keepsProcesses) signalCommands(SIGTERM);
}

bool Supervisor::hasLeftovers() const
{
    for (size_t i = 0; i < m_watches.size(); ++i) {
        if (!m_plan.commands[i].isFollower && hasLiveProcesses(m_folder.commandFolder(i))) return true;
    }
    return false;
}

// Sends the same signals to everything that the commands left behind, because no process of the run may
// remain after a stop.
void Supervisor::endLeftovers()
{
    const auto giveUp = std::max(m_killAt, Clock::now()) + kKillTimeout;
    while (hasLeftovers()) {
        if (Clock::now() >= giveUp) {
            fail(
                "left_running",
                {{"text",
                  "some processes of the run could not be killed; they are waiting in the kernel for a device"}});
            return;
        }
        round();
        std::this_thread::sleep_for(m_tick);
    }
}

std::vector<LiveProcess> Supervisor::leftoverProcesses() const
{
    std::vector<LiveProcess> left;
    if (m_stopGrace_s) return left; // processes that have ended, or that are not relevant for this run
    for (size_t i = 0; i < m_watches.size(); ++i)
        std::ranges::move(agent::leftoverProcesses(m_folder.commandFolder(i)), std::back_inserter(left));
    return left;
}

void Supervisor::reportLeftoverProcesses(const std::vector<LiveProcess>& left)
{
    fail("still_running",
         {{"text", processesText(left) +
                       " after the command ended. What they write from now on is not collected; "
                       "to collect it, run lockstep --attach after "
                       "they exit"}});
}

// Waits until every report is complete and no process of the commands can write another one. Stops waiting if
// no file and no profiler has changed for some time.
void Supervisor::waitForReports(bool wasSuccessful)
{
    const auto leftoverTimeout =
        timeoutFromEnvironment().value_or(wasSuccessful ? kLeftoverTimeout : kLeftoverTimeoutFailed);
    auto giveUp = Clock::now() + kReportTimeout, leftoverDeadline = Clock::now() + leftoverTimeout;
    const auto writersDeadline = Clock::now() + kWriterTimeout;
    for (bool isReported = false;;) {
        // The processes are read before the files, so that everything that a process wrote before its end is
        // seen.
        const std::vector<LiveProcess> left = leftoverProcesses();
        const bool hasChanged = m_reports.reportChanges();
        bool isWriting = false;
        for (size_t i = 0; i < m_watches.size(); ++i)
            isWriting = isWriting || hasReportWriter(m_folder.commandFolder(i));
        isWriting = isWriting && Clock::now() < writersDeadline;
        if (hasChanged || isWriting) giveUp = Clock::now() + kReportTimeout;
        if (hasChanged) leftoverDeadline = std::min(Clock::now() + leftoverTimeout, writersDeadline);
        const bool isLeft = !left.empty() && Clock::now() < leftoverDeadline;
        const bool isOver = (m_reports.areAllComplete() && !isWriting) || Clock::now() >= giveUp;
        if (isOver && !isLeft) {
            if (!left.empty()) reportLeftoverProcesses(left);
            return;
        }
        if (isLeft && !std::exchange(isReported, true))
            m_log.add("waiting", {{"text", "waiting for reports: " + processesText(left)}});
        const bool isCutShort = m_stopGrace_s && !m_keepsProcesses && Clock::now() >= m_killAt;
        if (isCutShort && !isWriting) return;
        writeHeartbeat();
        handleStopRequest();
        std::this_thread::sleep_for(std::max<Clock::duration>(m_tick, kTick * 3));
    }
}

namespace {

// Releases all resources of the caller that could keep the new process attached to it.
void detach(int status)
{
    ::setsid();
    for (const int signal : {SIGHUP, SIGPIPE, SIGXFSZ, SIGINT, SIGTERM})
        ::signal(signal, SIG_IGN);
    const int none = ::open("/dev/null", O_RDWR);
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        ::dup2(none, fd);
    ::close_range(STDERR_FILENO + 1, static_cast<unsigned>(status) - 1, 0);
    ::close_range(static_cast<unsigned>(status) + 1, ~0U, 0);
}

// The lock arbitrates if two supervisors start at once. The Linux kernel releases it however this process
// exits. On file systems without locking, supervisor.pid is used instead.
void claim(const RunFolder& folder)
{
    const int lock = ::open((folder.path() / "supervisor.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (lock >= 0 && ::flock(lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) ::_exit(0);
}

void enterStartFolder(const RunFolder& folder)
{
    const auto start = readTextFile(folder.startFolderFile());
    if (start && ::chdir(start->c_str()) != 0) {
    } // the first command that needs the secret reports that it is missing
}

// An exception from a library ends the supervision, but is logged. The next client that attaches starts
// another supervisor.
int watch(const RunFolder& folder, NodePlan plan, const Secrets& secrets, EventLog log)
{
    try {
        Supervisor supervisor(folder, std::move(plan), secrets, std::move(log), readRunHistory(folder));
        return supervisor.run();
    } catch (const std::exception& failure) {
        agentLog().note(LogLevel::error, "supervisor", std::string("ended by ") + failure.what());
        return writeAgentLog(folder, secrets) ? 1 : 2;
    }
}

[[noreturn]] void becomeSupervisor(const RunFolder& folder, const Secrets& secrets, int readyPipe)
{
    detach(readyPipe);
    claim(folder);
    const auto text = readTextFile(folder.planFile());
    auto plan = text ? nodePlanFromJson(*text) : Result<NodePlan>(tl::make_unexpected(text.error()));
    auto log = EventLog::open(folder.eventsFile());
    if (!RunFolder::writePidFile(folder.supervisorFile(), ::getpid())) {
    } // a reader sees "not watched", and the run continues
    ::close(readyPipe);
    if (!log) ::_exit(1);
    if (!plan) {
        log->add("error", {{"failure", "plan"}, {"text", plan.error().message}});
        log->add("exit", {{"run", true}, {"code", 1}, {"stopped", false}});
        ::_exit(1);
    }
    enterStartFolder(folder);
    resolveCaptureFolders(*plan);
    setCaptureLog(*plan, folder.captureLogFile());
    resolveAgentCommands(*plan, folder.path());
    ::_exit(watch(folder, std::move(*plan), secrets, std::move(*log)) == 0 ? 0 : 1);
}

} // namespace

Status startSupervisor(const RunFolder& folder, const Secrets& secrets)
{
    if (folder.supervisor()) return {};
    std::array<int, 2> ready{};
    if (::pipe2(ready.data(), O_CLOEXEC) != 0) return makeError(ErrorKind::io, "cannot make a pipe");
    const int middle = ::fork();
    if (middle == 0) {
        if (::fork() == 0) becomeSupervisor(folder, secrets, ready[1]);
        ::_exit(0);
    }
    ::close(ready[1]);
    char byte = 0;
    const ssize_t got = ::read(ready[0], &byte, 1);
    ::close(ready[0]);
    if (middle > 0) ::waitpid(middle, nullptr, 0);
    if (middle < 0 || got < 0) {
        return makeError(ErrorKind::io, "cannot start a process: " + std::string(std::strerror(errno)));
    }
    return {};
}

} // namespace lockstep::agent
