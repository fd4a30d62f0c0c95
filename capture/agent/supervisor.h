// Supervisor: watches one run on its node from the first command to the last report, and writes what happens into the
// event log. It may die at any moment: everything it knows stands in the run folder, and a new one goes on from there.
#pragma once

#include <chrono>
#include <map>
#include <vector>

#include "capture/agent/event_log.h"
#include "capture/agent/host_sampler.h"
#include "capture/agent/log_tail.h"
#include "capture/agent/node_plan.h"
#include "capture/agent/report_scan.h"
#include "capture/agent/run_folder.h"

namespace lockstep::agent {

class Supervisor {
  public:
    // How the past events of the same folder left things; all zero for a new run.
    struct Past {
        bool hasStarted = false;
        bool hasEnded = false;
        std::map<std::pair<size_t, bool>, uint64_t> logOffsets; // (command, is stderr) -> bytes told
        std::map<std::string, uint64_t> completeReports;        // path -> size when told complete
        std::vector<bool> exitTold;                             // by command
    };

    Supervisor(RunFolder folder, NodePlan plan, EventLog log, Past past);
    // Returns the run's exit code once everything is told. Takes as long as the run.
    int run();

  private:
    using Clock = std::chrono::steady_clock;

    bool writeFiles();
    int runCommand(size_t index);
    void follow(size_t index, bool isFinal);
    void tellSigns(size_t index, const std::string& piece);
    void tellSamples();
    void tellReports();
    void obeyStop(size_t index);
    void waitForReports();
    void beat();

    RunFolder m_folder;
    NodePlan m_plan;
    EventLog m_log;
    Past m_past;
    HostSampler m_sampler;
    std::vector<LogTail> m_tails; // of the running command: stdout, stderr
    std::map<std::string, FoundReport> m_reports;
    std::map<std::string, bool> m_failuresTold;
    Clock::time_point m_nextSample, m_nextScan, m_nextBeat;
    bool m_stopAsked = false;
    Clock::time_point m_killAt;
    bool m_killed = false;
};

// Reads a folder's event log back. Cost: one pass over the log.
Supervisor::Past readPast(const RunFolder& folder);

// Starts a supervisor for the folder as a process of its own that outlives the caller; does nothing when one is alive.
// The plan is read from the folder.
Result<bool> startSupervisor(const RunFolder& folder);

} // namespace lockstep::agent
