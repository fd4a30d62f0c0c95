// SPDX-License-Identifier: Apache-2.0
// RunFolder gives access to the files of one run on its node. The run is stored in these files and not in a
// connection: any process that knows the path of the folder can replay, follow or stop the run. All parts
// survive the death of any Lockstep process.
//
// - plan.json: the plan
// - events.jsonl: the events, one JSON object per line; only appended to
// - start_folder: the folder in which the run was started; relative paths in the plan are relative to it
// - supervisor.pid: the supervisor process, "PID START", where START is its start time as reported by the
//   Linux kernel
// - stop.json: a request to stop, {"grace_s": S, "keep": BOOL}; with keep, the processes are not killed
// - stay: the run continues after its last command until it is stopped
// - go: a number; commands of a higher order wait; without the file, no command waits
// - clock_peers.json: hosts for the clock exchange, see clock_peers.h; removed when the run ends
// - reserve: disk space for the last events; removed when the disk is full
// - job.json: the Slurm or Ray job of the run, see job_follower.h
// - agent.log: actions of the agent, see agentLog()
// - command-N/: one command: stdout.log, stderr.log, monitor.pid, child.pid, exit.json
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "capture/agent/node_plan.h"
#include "core/base/log_ring.h"
#include "core/base/result.h"

namespace lockstep::agent {

// Identifies a process so that a later process with the same ID is not mistaken for it.
struct ProcessIdentity {
    int pid = 0;
    uint64_t startTime = 0; // field 22 of /proc/PID/stat, clock ticks since boot

    // Returns the mark of a live process, or nullopt.
    static std::optional<ProcessIdentity> of(int pid);
    bool isAlive() const;
};

class RunFolder {
  public:
    explicit RunFolder(std::filesystem::path path) : m_path(std::move(path)) {}

    const std::filesystem::path& path() const { return m_path; }
    std::filesystem::path planFile() const { return m_path / "plan.json"; }
    std::filesystem::path eventsFile() const { return m_path / "events.jsonl"; }
    std::filesystem::path stopFile() const { return m_path / "stop.json"; }
    std::filesystem::path startFolderFile() const { return m_path / "start_folder"; }
    std::filesystem::path stayFile() const { return m_path / "stay"; }
    std::filesystem::path goFile() const { return m_path / "go"; }
    std::filesystem::path agentLogFile() const { return m_path / "agent.log"; }
    std::filesystem::path captureLogFile() const
    {
        return m_path / "capture.log";
    } // log of the capture library
    std::filesystem::path clockPeersFile() const { return m_path / "clock_peers.json"; }
    std::filesystem::path jobFile() const { return m_path / "job.json"; }
    std::filesystem::path supervisorFile() const { return m_path / "supervisor.pid"; }
    std::filesystem::path commandFolder(size_t index) const
    {
        return m_path / ("command-" + std::to_string(index));
    }

    // Returns the interval for checking what other processes may have written. The interval is at least one
    // second if the folder is on a disk that many nodes share.
    std::chrono::milliseconds pollingInterval(std::chrono::milliseconds interval) const;

    // Returns the supervisor if it is alive.
    std::optional<ProcessIdentity> supervisor() const { return readPidFile(supervisorFile()); }

    // If the disk is full, the supervisor cannot record that a run has ended, so it waits for space. It shows
    // this state by changing its process name.
    static void setWaitsForSpace(bool waits);
    bool waitsForSpace() const;

    // Returns the highest order of the commands that may start.
    int allowedOrder() const;
    // Reserves 256 KiB of disk space. Failure to do so is not an error.
    void makeReserve() const;
    void releaseReserve() const;

    // Returns the live process recorded in a .pid file. Returns nullopt if the file is absent or the process
    // has ended.
    static std::optional<ProcessIdentity> readPidFile(const std::filesystem::path& file);
    static Status writePidFile(const std::filesystem::path& file, int pid);

  private:
    std::filesystem::path m_path;
    mutable std::optional<bool> m_isShared;
};

// Returns true if a folder is on a file system that several machines share (NFS, Lustre, GPFS, ...), where a
// check often costs server time. If LOCKSTEP_AGENT_SHARED_HOME=1, home folders count as shared even if the
// file system type does not show it.
bool isOnSharedDisk(const std::filesystem::path& folder);
// Returns a folder of this user on a local disk that survives a reboot, or otherwise in /tmp. The folder is
// created with mode 0700. Returns "" if another user owns that name.
std::string localStateFolder();

// Makes new files and folders accessible to this user only: files 0600, folders 0700. Programs in a plan are
// started with the previous mask.
void keepFilesPrivate();
void restoreFileMask();

// Returns the content of a small file; notFound or io.
Result<std::string> readTextFile(const std::filesystem::path& path);
// Writes to a temporary file next to the target and renames it, so that readers see the old or the new
// content. mode: as for chmod.
Status writeTextFile(const std::filesystem::path& path, std::string_view content, unsigned mode = 0600);

// The agent's log of its own actions (start, stop request, full disk, end). It is kept in memory while the
// agent watches a run and is then written to agent.log in the run folder. events.jsonl records what the run
// did; this log records what the agent did, including at times when the disk was full. It never contains
// output of programs or values of secrets.

// Returns the log of this process.
LogRing& agentLog();

// Appends the log to the text that earlier agents wrote. If the log is long, only its end is kept. Call this
// function once, or again after a failure. Masks values of secrets that appear in error messages. Returns io
// on failure.
Status writeAgentLog(const RunFolder& folder, const Secrets& secrets);

} // namespace lockstep::agent
