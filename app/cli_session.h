// SPDX-License-Identifier: Apache-2.0
// The options of the command line that are about sessions and their runs: --plan, --run, --attach, --stop,
// --import and what goes with them. Part of cli.cpp's table; each takes one option's value. Pure.
#pragma once

#include "app/cli.h"

namespace lockstep {

// What stops the program when its arguments make no sense.
tl::unexpected<Error> usage(const std::string& message);

Status setPlan(CommandLine& line, std::string_view value);
Status setHostFacts(CommandLine& line, std::string_view value);
Status setRun(CommandLine& line, std::string_view value);
Status setAttach(CommandLine& line, std::string_view value);
Status setStop(CommandLine& line, std::string_view value);
Status setGrace(CommandLine& line, std::string_view value);
Status setRemoveRuns(CommandLine& line, std::string_view value);
Status setOlderThan(CommandLine& line, std::string_view value);
Status setPatience(CommandLine& line, std::string_view value);
Status setForce(CommandLine& line, std::string_view value);
Status setBatch(CommandLine& line, std::string_view value);
Status setBatchTask(CommandLine& line, std::string_view value);
Status setImport(CommandLine& line, std::string_view value);
Status setStrict(CommandLine& line, std::string_view value);
Status setReduced(CommandLine& line, std::string_view value);

// Whether those that were given go together. invalid.
Status checkSession(const CommandLine& line);

} // namespace lockstep
