// SPDX-License-Identifier: Apache-2.0
// DemoRun is the run of `lockstep --demo`: a small program of four processes on two hosts, both of which are
// this machine. It owns the folder of these hosts, below the demo folder; the destructor kills the remaining
// processes and removes the folder. Created off the UI thread, and held until the program quits or another
// demo begins.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "core/base/child_process.h"
#include "core/base/result.h"
#include "core/session/launch_plan.h"

namespace lockstep {

class DemoRun {
  public:
    // Sweeper is a process that blocks until this program has ended, and then cleans up.
    struct Sweeper {
        ChildProcess process;
        int end = -1; // this program's end of the socket
    };
    // Prepares a demo with its reports in `folder`, which is created if needed. Several demos may use the
    // same folder at the same time. Cleans up after earlier demos whose program was killed. Errors: io
    // (cannot write), notFound (the demo program is not installed).
    static Result<std::shared_ptr<DemoRun>> prepare(const std::filesystem::path& folder);
    // May take several seconds if processes are still running.
    ~DemoRun();
    DemoRun(const DemoRun&) = delete;
    DemoRun& operator=(const DemoRun&) = delete;

    // Returns the session: two hosts on this machine, recorded by Lockstep's own capture library.
    SessionConfig session() const;
    // Assigns a separate folder, a name and ranks to each host in the plan.
    void adapt(LaunchPlan& plan) const;
    const std::filesystem::path& folder() const { return m_folder; }
    std::filesystem::path workspace() const { return m_folder / "demo.lockstep"; }
    // Returns the folder for synthetic reports, which are used if the demo cannot run.
    std::filesystem::path syntheticFolder() const { return m_folder / "made-up"; }

  private:
    DemoRun(std::filesystem::path folder, std::filesystem::path hostsFolder, int lock);

    const std::filesystem::path m_folder;
    const std::filesystem::path m_hostsFolder; // folder that contains the hosts' folders
    const int m_lock;                          // lock held while the demo is shown
    const std::string m_meeting;               // name of the socket through which the ranks find each other
    Sweeper m_sweeper;
};

// Task of the sweeper process: `lockstep --sweep-demo FOLDER HOSTS_FOLDER` blocks on standard input until the
// program that shows the demo has ended, then removes the folder of the demo's hosts.
inline constexpr const char* kSweepDemo = "--sweep-demo";
int sweepDemo(const std::filesystem::path& folder, const std::filesystem::path& hostsFolder);

// Returns the default demo folder, below $XDG_CACHE_HOME or ~/.cache.
std::filesystem::path demoFolder();

} // namespace lockstep
