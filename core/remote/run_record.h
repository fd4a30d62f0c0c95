// SPDX-License-Identifier: Apache-2.0
// RunRecord: what must be known to pick a run up again after this program ended: session, plan and, per host,
// where the run lives there. Kept in the user's state folder, one folder a run:
//   runs/ID/record.json      this
//   runs/ID/session.yaml     the set-up as it was
//   runs/ID/plan-HOST.json   each host's part of the plan
//   runs/ID/facts.json       what was known about the hosts
//   runs/ID/HOST.events.jsonl  the host's events as they came
//   runs/ID/ledger.json      the account of its reports
//   runs/ID/live/            captures as they came while it was watched (LiveFeed); gone with the watch
// Files appear whole (written beside and renamed); events are appended.
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
    std::string runDir;      // on the host, below its home folder
    std::string slurmNode;   // a node of the job: reached through the login node's srun
    bool wasStarted = false; // the agent there has the plan
    std::string agentFolder; // see Host::agentFolder
    int slurmComponent = -1; // the node's part of a heterogeneous job; -1 = of another job

    friend bool operator==(const HostRecord&, const HostRecord&) = default;
};

struct RunRecord {
    std::string id;               // "2026-11-20T12-01-07-NAME": UTC start and session
    std::string session;          // name
    int64_t started_ns = 0;       // Unix epoch, this machine
    std::string slurmJob;         // once submitted
    std::filesystem::path output; // the workspace to write; empty: not chosen
    std::vector<HostRecord> hosts;

    friend bool operator==(const RunRecord&, const RunRecord&) = default;
};

std::string jsonFromRunRecord(const RunRecord& record);
Result<RunRecord> runRecordFromJson(std::string_view text); // corrupt

// "runs" in userStateFolder().
std::filesystem::path runsFolder();
// Newest first. Folders that hold no readable record of their own name are passed over.
std::vector<RunRecord> knownRuns();
// By whole id, by unique beginning, or by session name (the newest). notFound names the known ones.
Result<RunRecord> findRun(std::string_view wanted);
std::filesystem::path runFolderOf(const RunRecord& record);
// Where the events of a host of the run are kept.
std::filesystem::path eventFileOf(const RunRecord& record, std::string_view host);
// File name for a host's part, whatever characters its name has; of at most 120 bytes.
std::string fileNameOf(std::string_view host);
// Held while a program watches a run: two of them would write its events twice.
class RunLock {
  public:
    // io: another program holds it, or the folder cannot be written.
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
// Writes text whole or not at all. io.
Status replaceFile(const std::filesystem::path& path, std::string_view text);

} // namespace lockstep
