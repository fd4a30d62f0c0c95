// SPDX-License-Identifier: Apache-2.0
// Runs a user's launch script and adds the profiling settings where it starts the training.
//
// Idea: `lockstep-agent launch` starts the script with a folder first in PATH. The folder contains links to
// the agent under the names of the programs that start trainings (python3, torchrun, srun, ...), as far as
// the host has them. A program started through a link is a shim: it reads the session, decides with
// shimmedLaunch() (core/session/script_launch.h) whether this is the training, and replaces itself by the
// real program, with or without additions. Process ID, exit status and signals are therefore those of the
// real program.
//
// Scripts change PATH, for example by activating a Python environment, which hides the links. bash reads the
// file named by BASH_ENV when it runs a script; that file sets a DEBUG trap which puts a folder of links for
// the new PATH in front again, before the next command of the script.
//
// The training is started with the environment that it would have without Lockstep, plus the additions. Other
// programs keep the folder in PATH and BASH_ENV, because they may start the training in turn. Not recognized:
// programs that are started by absolute path, or with a PATH for one command (PATH=... python3 ...).
//
// Files in the run folder: script/settings.json (of `launch`, for the shims), script/bash_env,
// script/path-HASH/ (links for one value of PATH), launches.jsonl (one JSON object per recognized launch).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "capture/agent/agent_commands.h"
#include "capture/agent/event_log.h"

namespace lockstep::agent {

// Acts as a shim if this program was started through a link of a `launch`. Does not return in that case,
// unless the real program cannot be started: then returns the exit status that a shell would report. Returns
// nullopt if this is not a shim.
std::optional<int> runAsShim(const std::vector<std::string>& arguments);

// launch --session FILE --run DIR [--host NAME] [--record-only] -- PROGRAM ARGUMENTS...
// Replaces itself by the program. --record-only: a recognized training is recorded, but not started; the
// script continues as if it had succeeded. launch --path VALUE --run DIR: prints VALUE with the folder of
// links for it in front.
int launchCommand(Arguments arguments);

// LaunchWatch turns the launches that the shims of a run record into events of the run. One thread.
class LaunchWatch {
  public:
    // reported: number of launches that are in the log already.
    LaunchWatch(const std::filesystem::path& runFolder, size_t reported, EventLog& log);

    void reportNew();
    // Returns the number of trainings that were started with profiling settings so far.
    size_t profiledCount() const { return m_profiled; }

  private:
    EventReader m_reader;
    size_t m_reported;
    size_t m_read = 0;
    size_t m_profiled = 0;
    EventLog& m_log;
};

} // namespace lockstep::agent
