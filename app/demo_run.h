// SPDX-License-Identifier: Apache-2.0
// DemoRun: the run that `lockstep --demo` makes: a small program of four processes on two hosts that are both
// this machine, and are called so. It keeps the place where those hosts live, below the demo's folder, for as
// long as it lives itself; what still runs there ends with it. Made off the UI thread by who shows the demo,
// held until the program leaves or another demo begins.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "core/base/result.h"
#include "core/session/launch_plan.h"

namespace lockstep {

class DemoRun {
  public:
    // Waits for the end of this program, however it comes, to clear away what it left.
    struct Sweeper {
        int process = 0; // 0: there is none
        int end = -1;    // of the line that it listens to
    };
    // folder: for the demo's reports, made where it is missing; several may begin in one at the same time.
    // What earlier ones left whose program was killed is cleared away. io: it cannot be written; notFound:
    // the program that is to run is not installed.
    static Result<std::shared_ptr<DemoRun>> prepare(const std::filesystem::path& folder);
    // Up to seconds where processes are left.
    ~DemoRun();
    DemoRun(const DemoRun&) = delete;
    DemoRun& operator=(const DemoRun&) = delete;

    // Two hosts, launched here, recorded with Lockstep's own capture.
    SessionConfig session() const;
    // Gives each host of the session's plan a folder, a name and ranks of its own.
    void adapt(LaunchPlan& plan) const;
    const std::filesystem::path& folder() const { return m_folder; }
    std::filesystem::path workspace() const { return m_folder / "demo.lockstep"; }
    // For reports that are invented, where the demo cannot run.
    std::filesystem::path madeUpFolder() const { return m_folder / "made-up"; }

  private:
    DemoRun(std::filesystem::path folder, std::filesystem::path place, int lock);

    const std::filesystem::path m_folder;
    const std::filesystem::path m_place; // of the hosts
    const int m_lock;                    // held: somebody shows this demo
    const std::string m_meeting;         // the ranks' socket
    const Sweeper m_sweeper;
};

// The task of the process that a DemoRun begins beside itself: `lockstep --sweep-demo FOLDER PLACE` waits at
// its standard input until the demo's program is gone, and clears the place where its hosts lived.
inline constexpr const char* kSweepDemo = "--sweep-demo";
int sweepDemo(const std::filesystem::path& folder, const std::filesystem::path& place);

// Where the demo's reports go when no folder was named: below $XDG_CACHE_HOME, else ~/.cache.
std::filesystem::path demoFolder();

} // namespace lockstep
