// SPDX-License-Identifier: Apache-2.0
// Options that select which data is counted and with what it is compared: --by, --filter, --time-range,
// --clip and --baseline. Each function applies the value of one option. Used by the option table in cli.cpp.
// Pure.
#pragma once

#include "app/cli/cli.h"

namespace lockstep {

Status setBy(CommandLine& line, std::string_view value);
Status setFilter(CommandLine& line, std::string_view value);
Status setTimeRange(CommandLine& line, std::string_view value);
Status setClip(CommandLine& line, std::string_view value);
Status setBaseline(CommandLine& line, std::string_view value);

// Checks that the given options can be combined. Error: invalid.
Status checkScope(const CommandLine& line);

} // namespace lockstep
