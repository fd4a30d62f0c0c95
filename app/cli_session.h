// The options of the command line that are about sessions and their runs: --plan, --run, --attach, --stop,
// --import and what goes with them. Part of cli.cpp's table; each takes one option's value. Pure.
#pragma once

#include "app/cli.h"

namespace lockstep {

// What stops the program when its arguments make no sense.
tl::unexpected<Error> usage(const std::string& message);

Result<bool> setPlan(CommandLine& line, std::string_view value);
Result<bool> setHostFacts(CommandLine& line, std::string_view value);
Result<bool> setRun(CommandLine& line, std::string_view value);
Result<bool> setAttach(CommandLine& line, std::string_view value);
Result<bool> setStop(CommandLine& line, std::string_view value);
Result<bool> setGrace(CommandLine& line, std::string_view value);
Result<bool> setPatience(CommandLine& line, std::string_view value);
Result<bool> setForce(CommandLine& line, std::string_view value);
Result<bool> setImport(CommandLine& line, std::string_view value);
Result<bool> setStrict(CommandLine& line, std::string_view value);
Result<bool> setReduced(CommandLine& line, std::string_view value);

// Whether those that were given go together. invalid.
Result<bool> checkSession(const CommandLine& line);

} // namespace lockstep
