// SPDX-License-Identifier: Apache-2.0
// lockstep --record: starts and stops the profilers of inference servers and checks their files. Standard
// output receives readable lines on a terminal and JSON lines elsewhere:
//   {"kind": "server", "url", "host", "server", "version", "state", "message", "steps", "expected_traces",
//    "traces", "other_files", "folder", "size_bytes", "elapsed_s"}     once per server, when it is over
//   {"kind": "recording", "recorded", "unchecked", "failed", "start_spread_s"}    at the end; the
//    spread is an upper bound
#pragma once

#include <string>

#include "app/cli/cli.h"
#include "core/remote/server_recorder.h"

namespace lockstep {

// Returns the exit status: 0 every server was recorded and its files were found, 3 part of them or files that
// could not be checked, 1 nothing was recorded, 130 interrupted; the profilers were then stopped.
int recordServers(int argc, char** argv, const CommandLine& line);

// Returns a status as a JSON line, without a line break.
std::string jsonOfServer(const ServerStatus& server);
// Returns the exit status of a recording that was not interrupted.
int exitStatusOf(const ServerRecorder& recorder);

} // namespace lockstep
