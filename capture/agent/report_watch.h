// SPDX-License-Identifier: Apache-2.0
// ReportWatch records in the event log which reports a run produces and when each of them is complete. One
// thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "capture/agent/event_log.h"
#include "capture/agent/report_scan.h"
#include "capture/agent/run_history.h"
#include "capture/agent/spool_tail.h"

namespace lockstep::agent {

// StepWatch records in the event log which training step each growing capture has reached. It reads the block
// headers of the captures, which contain the step (LockstepSpoolBlock::step), and the payload only of a block
// with a new step, to verify its checksum. One thread.
class StepWatch {
  public:
    // Captures beyond this number are not followed, because each of them keeps a file open.
    static constexpr size_t kMaxCaptures = 512;
    // A capture whose step is not the greatest of the node is reported at most once in this time.
    static constexpr auto kPause = std::chrono::seconds(10);

    explicit StepWatch(EventLog& log) : m_log(log) {}

    // Sets the captures to follow: those that are incomplete and belong to this run.
    void follow(const std::set<std::filesystem::path>& captures);
    // Reads new blocks and records steps as events of kind "step". O(new blocks).
    void reportSteps();

  private:
    struct Capture {
        SpoolTail tail;
        std::optional<int64_t> step, reported;
        std::chrono::steady_clock::time_point reported_at = {};
    };
    static void read(Capture& capture);

    EventLog& m_log;
    std::map<std::filesystem::path, Capture> m_captures;
    std::optional<int64_t> m_greatest; // greatest recorded step
};

class ReportWatch {
  public:
    // Files that are older than the run are reported as old, and the run does not wait for them. started_ns:
    // Unix epoch.
    ReportWatch(std::vector<std::string> roots, std::filesystem::path workingFolder, int64_t started_ns,
                std::map<std::string, RunHistory::Report> reported, EventLog& log);

    // Scans and reports changes. Returns true if anything changed.
    bool reportChanges();
    // Records the training steps that the growing captures have reached. Cheaper than reportChanges().
    void reportSteps() { m_steps.reportSteps(); }
    bool areAllComplete() const { return m_open == 0; }
    // Returns the free bytes on the disks of the existing report folders, with one folder per disk. The disk
    // of `known` is left out.
    std::map<std::string, uint64_t> freeBytes(const std::filesystem::path& known) const;

  private:
    void reportGone(const std::vector<FoundReport>& reports);

    ReportScanner m_scanner;
    int64_t m_started_ns;
    std::map<std::string, RunHistory::Report> m_reported;
    EventLog& m_log;
    StepWatch m_steps;
    size_t m_open = 0; // incomplete reports of this run
};

// Adds the path of a file to an event as "path". If its bytes are not valid UTF-8, also adds "path_hex".
void addPath(Json& fields, const std::filesystem::path& path);

} // namespace lockstep::agent
