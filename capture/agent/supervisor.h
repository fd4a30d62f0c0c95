// SPDX-License-Identifier: Apache-2.0
// Supervisor: watches one run on its node from the first command to the last report, and writes what happens
// into the event log. It may die at any moment: everything it knows stands in the run folder, and a new one
// goes on from there, telling nothing twice and leaving nothing out. One thread.
#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <vector>

#include "capture/agent/capture_log_watch.h"
#include "capture/agent/clock_watch.h"
#include "capture/agent/command_exit.h"
#include "capture/agent/command_watch.h"
#include "capture/agent/event_log.h"
#include "capture/agent/host_sampler.h"
#include "capture/agent/node_plan.h"
#include "capture/agent/report_watch.h"
#include "capture/agent/run_folder.h"
#include "capture/agent/run_past.h"
#include "core/base/json_fields.h"

namespace lockstep::agent {

class Supervisor {
  public:
    // secrets: what is known of the plan's.
    Supervisor(RunFolder folder, NodePlan plan, const Secrets& secrets, EventLog log, RunPast past);
    // Returns the run's exit code once everything is told. Takes as long as the run.
    int run();

  private:
    using Clock = std::chrono::steady_clock;

    void lookForOtherRuns();
    bool writeFiles();
    int runCommands();
    bool waitForOrder(size_t index);
    int runCommand(size_t index);
    CommandExit waitForEnd(size_t index);
    void restartFollower(size_t index);
    void recordJob();
    void signalCommands(int signal) const;
    void tellExit(size_t index, const CommandExit& exit);
    void round();
    void beat();
    void lookAtDisk();
    void stayUntilStopped();
    void obeyStop();
    void takeWish(double grace_s);
    void endLeftovers();
    bool hasLeftovers() const;
    void waitForReports(bool wasGood);
    std::vector<LiveProcess> leftProcesses() const;
    void tellLeftProcesses(const std::vector<LiveProcess>& left);
    void fail(const char* failure, Json fields);

    RunFolder m_folder;
    NodePlan m_plan;
    const Secrets m_secrets; // for agent.log, which must not hold them
    std::vector<std::string> m_missingSecrets;
    EventLog m_log;
    RunPast m_past;
    const int64_t m_began_ns = wallClock_ns();
    Clock::duration m_tick; // between two looks
    HostSampler m_sampler;
    ReportWatch m_reports;
    CaptureLogWatch m_captureLogs;
    ClockWatch m_clocks;
    std::vector<CommandWatch> m_watches; // of the commands started so far
    Clock::time_point m_nextSample, m_nextScan, m_nextBeat, m_nextRestart;
    std::string m_jobRecord; // job.json as it was read last
    Json m_job;              // its last event's fields
    bool m_isDiskFull = false;
    std::optional<double> m_stopGrace_s; // once a stop was asked for
    bool m_keepsProcesses = false;       // and it was one of the watching alone
    Clock::time_point m_killAt;
};

// Starts a supervisor for the folder as a process of its own that outlives the caller; does nothing when one
// is alive. The plan is read from the folder; the values of its secrets are nowhere on disk and live as long
// as the supervisor.
Status startSupervisor(const RunFolder& folder, const Secrets& secrets = {});

} // namespace lockstep::agent
