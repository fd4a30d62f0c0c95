// SPDX-License-Identifier: Apache-2.0
// Options for sessions and their runs: --plan, --run, --attach, --stop, --import and related options. Each
// function applies the value of one option. Used by the option table in cli.cpp. Pure.
#pragma once

#include "app/cli/cli.h"

namespace lockstep {

// Returns the error for invalid arguments, which ends the program with exit status 2.
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
Status setValue(CommandLine& line, std::string_view value);
Status setStrict(CommandLine& line, std::string_view value);
Status setReduced(CommandLine& line, std::string_view value);

// Checks that the given options can be combined. Error: invalid.
Status checkSession(const CommandLine& line);

} // namespace lockstep
