// SPDX-License-Identifier: Apache-2.0
// The commands of lockstep-agent (see --help), one function each. They print JSON to standard output and
// errors to standard error. Each returns the exit status: 0 = success, 1 = failure, 2 = invalid command line.
// attachCommand() returns the exit status of the run.
#pragma once

#include <span>
#include <string>

namespace lockstep::agent {

using Arguments = std::span<const std::string>; // arguments after the command name

int runCommand(Arguments arguments);    // run --plan FILE --run-dir DIR [--detach] [--until ORDER] [--stay]
int goCommand(Arguments arguments);     // go DIR [--until ORDER]
int attachCommand(Arguments arguments); // attach DIR [--from N] [--recorded]
int liveCommand(Arguments arguments);   // live DIR [--last S] [--rate BYTES_PER_S] [--have]
int stopCommand(Arguments arguments);   // stop DIR [--grace S] [--keep]
int listCommand(Arguments arguments);   // list DIR...|--run DIR [--quick]
int removeCommand(Arguments arguments); // remove DIR
int clockCommand(Arguments arguments);  // clock [--follow]
int peersCommand(Arguments arguments);  // peers DIR, JSON on standard input
int probeCommand(Arguments arguments);  // probe [--checkout DIR]... [--disk DIR]... [--python PROGRAM]
int reduceCommand(Arguments arguments); // reduce FILE... -o OUT
// Started by the supervisor of a run and by jobs, not by people:
int slurmCommand(
    Arguments arguments); // slurm --script FILE --stem STEM --agent WORD --runs WORD --hold S -- OPTIONS
int rayJobCommand(Arguments arguments); // ray-job --id ID -- SUBMIT COMMAND
int launchCommand(Arguments arguments); // see launch_shim.h
// shared-disk --plan FILE. Returns 0 if all reports of the plan are on disks that other machines see.
int sharedDiskCommand(Arguments arguments);

// Prints text to standard error and returns status.
int printError(const std::string& text, int status);

} // namespace lockstep::agent
