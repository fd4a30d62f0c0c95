// SPDX-License-Identifier: Apache-2.0
// RunRecord contains what is needed to resume watching a run after this program has ended: session, plan and,
// per host, the run's folder. Stored in the user's state folder, with one folder per run:
// runs/ID/record.json      this record
// runs/ID/session.yaml     the session at launch
// runs/ID/plan-HOST.json   each host's part of the plan
// runs/ID/facts.json       host information
// runs/ID/HOST.events.jsonl  events of the host as received
// runs/ID/ledger.json      collection status
// runs/ID/live/            captures received while the run is watched live (LiveFeed); deleted afterwards
// Files are written completely (to a temporary name, then renamed); events are appended.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/session/host_facts.h"
#include "core/session/launch_plan.h"
#include "core/session/session_config.h"

namespace lockstep {

struct HostRecord {
    std::string host;
    std::string address;     // "" = this machine
    std::string runDir;      // path on the host; relative paths are relative to its home folder
    std::string slurmNode;   // name of a node of the job, reached by srun on the login node
    bool wasStarted = false; // the agent on the host has received the plan
    std::string agentFolder; // see Host::agentFolder
    int slurmComponent = -1; // the node's component of a heterogeneous job; -1 for other jobs

    friend bool operator==(const HostRecord&, const HostRecord&) = default;
};

struct RunRecord {
    std::string id;               // "2026-11-20T12-01-07-NAME": UTC start and session
    std::string session;          // name of the session
    int64_t started_ns = 0;       // Unix epoch, clock of this machine
    std::string slurmJob;         // set once the job is submitted
    std::filesystem::path output; // path of the workspace to write; empty = not chosen
    std::vector<HostRecord> hosts;

    friend bool operator==(const RunRecord&, const RunRecord&) = default;
};

std::string jsonFromRunRecord(const RunRecord& record);

// Returns the folder "runs" in userStateFolder().
std::filesystem::path runsFolder();
// Returns all runs, newest first. Skips folders without a readable record of the same name.
std::vector<RunRecord> knownRuns();
// Finds a run by its ID, by a unique prefix of its ID, or by its session name (the newest run). Returns
// notFound if there is no such run; the message lists the known runs.
Result<RunRecord> findRun(std::string_view idOrName);
std::filesystem::path runFolderOf(const RunRecord& record);
// Returns the event file of a host of the run.
std::filesystem::path eventFileOf(const RunRecord& record, std::string_view host);
// Returns a safe file name for a host, regardless of which characters its name has; at most 120 bytes.
std::string fileNameOf(std::string_view host);
// RunLock is held while a program watches a run, because two programs would store its events twice.
class RunLock {
  public:
    // Takes the lock. Returns io if another program holds it, or the folder cannot be written.
    static Result<RunLock> take(const RunRecord& record);
    RunLock() = default;
    RunLock(RunLock&& other) noexcept : m_fd(std::exchange(other.m_fd, -1)) {}
    RunLock& operator=(RunLock&& other) noexcept
    {
        std::swap(m_fd, other.m_fd);
        return *this;
    }
    ~RunLock();

  private:
    explicit RunLock(int fd) : m_fd(fd) {}
    int m_fd = -1;
};
// Returns an unused ID: "2026-11-20T12-01-07-NAME", with a number appended if that ID exists.
std::string newRunId(const std::string& session, int64_t now_ns);
// Returns the folder in which the host's agent stores its runs, relative to the home folder unless absolute.
// If several machines share the home folder, this folder is on a local disk.
std::string agentRunsFolder(const HostPlan& host, const HostFacts* facts);
// Writes text completely or not at all. Errors: io.
Status replaceFile(const std::filesystem::path& path, std::string_view text);

} // namespace lockstep
