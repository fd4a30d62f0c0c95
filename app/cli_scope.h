// SPDX-License-Identifier: Apache-2.0
// The options of the command line that say what is counted and what it is held against: --by, --filter,
// --time-range, --clip and --baseline. Part of cli.cpp's table; each takes one option's value. Pure.
#pragma once

#include "app/cli.h"

namespace lockstep {

Status setBy(CommandLine& line, std::string_view value);
Status setFilter(CommandLine& line, std::string_view value);
Status setTimeRange(CommandLine& line, std::string_view value);
Status setClip(CommandLine& line, std::string_view value);
Status setBaseline(CommandLine& line, std::string_view value);

// Whether those that were given go together. invalid.
Status checkScope(const CommandLine& line);

} // namespace lockstep
