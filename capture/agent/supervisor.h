// SPDX-License-Identifier: Apache-2.0
// Supervisor watches one run on its node from the first command to the last report, and writes what happens
// to the event log. It may die at any time: all of its state is in the run folder, and a new supervisor
// continues from there. Nothing is reported twice, and nothing is omitted. One thread.
#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <vector>

#include "capture/agent/clock_watch.h"
#include "capture/agent/command_exit.h"
#include "capture/agent/command_watch.h"
#include "capture/agent/event_log.h"
#include "capture/agent/host_sampler.h"
#include "capture/agent/launch_shim.h"
#include "capture/agent/node_plan.h"
#include "capture/agent/report_watch.h"
#include "capture/agent/run_folder.h"
#include "capture/agent/run_history.h"
#include "core/base/json_fields.h"

namespace lockstep::agent {

class Supervisor {
  public:
    // secrets: the known values of the plan's secrets.
    Supervisor(RunFolder folder, NodePlan plan, const Secrets& secrets, EventLog log, RunHistory history);
    // Returns the exit code of the run once everything is reported. Takes as long as the run itself.
    int run();

  private:
    using Clock = std::chrono::steady_clock;

    void findOtherRuns();
    bool writeFiles();
    int runCommands();
    bool waitForOrder(size_t index);
    int runCommand(size_t index);
    CommandExit waitForEnd(size_t index);
    void restartFollower(size_t index);
    void recordJob();
    void signalCommands(int signal) const;
    void reportExit(size_t index, const CommandExit& exit);
    void round();
    void writeHeartbeat();
    void checkDisk();
    void stayUntilStopped();
    void handleStopRequest();
    void applyStopRequest(double grace_s);
    void endLeftovers();
    bool hasLeftovers() const;
    void waitForReports(bool wasSuccessful);
    std::vector<LiveProcess> leftoverProcesses() const;
    void reportLeftoverProcesses(const std::vector<LiveProcess>& left);
    void fail(const char* failure, Json fields);

    RunFolder m_folder;
    NodePlan m_plan;
    const Secrets m_secrets; // values that agent.log must not contain
    std::vector<std::string> m_missingSecrets;
    EventLog m_log;
    RunHistory m_history;
    const int64_t m_began_ns = wallClock_ns();
    Clock::duration m_tick; // interval between two checks
    HostSampler m_sampler;
    ReportWatch m_reports;
    CaptureLogWatch m_captureLogs;
    LaunchWatch m_launches;
    ClockWatch m_clocks;
    std::vector<CommandWatch> m_watches; // one for each command started so far
    Clock::time_point m_nextSample, m_nextScan, m_nextHeartbeat, m_nextRestart;
    std::string m_jobRecord; // content of job.json at the last read
    Json m_job;              // fields of the last event about the job
    bool m_isDiskFull = false;
    std::optional<double> m_stopGrace_s; // set once a stop was requested
    bool m_keepsProcesses = false;       // the stop request ends only the supervision, not the processes
    Clock::time_point m_killAt;
};

// Starts a supervisor for the folder as a separate process that outlives the caller. Does nothing if a
// supervisor is alive. The plan is read from the folder. The values of its secrets are not on any disk and
// exist only as long as the supervisor.
Status startSupervisor(const RunFolder& folder, const Secrets& secrets = {});

} // namespace lockstep::agent
