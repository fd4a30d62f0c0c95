// SPDX-License-Identifier: Apache-2.0
// RunFolder: the files of one run on its node. The run lives here, not in a connection: whoever holds the
// folder's path can replay, follow or stop it. All parts survive the death of any process of ours.
//
// - plan.json: what was asked for
// - events.jsonl: what happened, one JSON object a line, only ever appended to
// - start_folder: where the run was started; relative names of the plan are below it
// - supervisor.pid: the process that watches, "PID START", where START is the kernel's start time of it
// - stop.json: a request to stop, {"grace_s": S, "keep": BOOL}; keep leaves the processes alone
// - stay: the run goes on behind its last command until it is stopped
// - go: a number; commands of a higher order wait, without the file none does
// - clock_peers.json: whom clocks are compared with, see clock_peers.h; gone with the run's end
// - reserve: room on the disk for the end of the account; removed when the disk is full
// - job.json: the Slurm or Ray job of the run, see job_follower.h
// - agent.log: what the watching itself did, see agent_log.h
// - command-N/: one command: stdout.log, stderr.log, shepherd.pid, child.pid, exit.json
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "core/base/result.h"

namespace lockstep::agent {

// A process that cannot be mistaken for a later one with the same number.
struct ProcessMark {
    int pid = 0;
    uint64_t startTime = 0; // field 22 of /proc/PID/stat, clock ticks since boot

    // The mark of a live process, or empty.
    static std::optional<ProcessMark> of(int pid);
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
    std::filesystem::path captureLogFile() const { return m_path / "capture.log"; } // of the capture library
    std::filesystem::path clockPeersFile() const { return m_path / "clock_peers.json"; }
    std::filesystem::path jobFile() const { return m_path / "job.json"; }
    std::filesystem::path supervisorFile() const { return m_path / "supervisor.pid"; }
    std::filesystem::path commandFolder(size_t index) const
    {
        return m_path / ("command-" + std::to_string(index));
    }

    // How often to look for what others may have written: a folder that many nodes share is looked into once
    // a second.
    std::chrono::milliseconds pollingInterval(std::chrono::milliseconds usual) const;

    // The watching process if it lives.
    std::optional<ProcessMark> supervisor() const { return readMark(supervisorFile()); }

    // What has ended cannot be written down on a full disk, which is where it would be said: the supervisor
    // says it by its process' name.
    static void sayItWaitsForSpace(bool waits);
    bool waitsForSpace() const;

    // Commands up to this order may start.
    int allowedOrder() const;
    // 256 KiB that nothing else can take. Not having it is no failure.
    void makeReserve() const;
    void giveUpReserve() const;

    // A live process noted in a .pid file; empty when the file is absent or the process is gone.
    static std::optional<ProcessMark> readMark(const std::filesystem::path& file);
    static Status writeMark(const std::filesystem::path& file, int pid);

  private:
    std::filesystem::path m_path;
    mutable std::optional<bool> m_isShared;
};

// Whether a folder is on a file system that several machines see (NFS, Lustre, GPFS, ...), where looking
// often costs a server. LOCKSTEP_AGENT_SHARED_HOME=1 says so of every home folder whose file system does not.
bool isOnSharedDisk(const std::filesystem::path& folder);
// A folder of this user on a disk of this machine that outlives a reboot, or /tmp; made with mode 0700. ""
// where somebody else has taken the name.
std::string localStateFolder();

// From now on what this program makes is its user's alone: files 0600 in folders 0700. Programs of a plan are
// started with the mask of before, so that theirs are as ever.
void keepFilesPrivate();
void restoreFileMask();

// Whole content of a small file; notFound or io.
Result<std::string> readTextFile(const std::filesystem::path& path);
// Writes beside the target and renames, so that readers see the old or the new content. mode as chmod takes
// it.
Status writeTextFile(const std::filesystem::path& path, std::string_view content, unsigned mode = 0600);

} // namespace lockstep::agent
