// SPDX-License-Identifier: Apache-2.0
// Options of --record, which starts and stops the profilers of inference servers. Each function applies the
// value of one option. Used by the option table in cli.cpp. Pure.
#pragma once

#include "app/cli/cli.h"

namespace lockstep {

Status setRecord(CommandLine& line, std::string_view value);
Status setSteps(CommandLine& line, std::string_view value);
Status setSeconds(CommandLine& line, std::string_view value);
Status setServer(CommandLine& line, std::string_view value);
Status setFolder(CommandLine& line, std::string_view value);
Status setTimeout(CommandLine& line, std::string_view value);

// Checks that the options of --record are complete and given only with it. Error: invalid.
Status checkRecord(const CommandLine& line);

} // namespace lockstep
