// SPDX-License-Identifier: Apache-2.0
// Options that concern this machine: --jobs, --memory-limit, --cache and related options. Each function
// applies the value of one option. Used by the option table in cli.cpp. Pure.
#pragma once

#include "app/cli/cli.h"

namespace lockstep {

Status setJobs(CommandLine& line, std::string_view value);
Status setMemoryLimit(CommandLine& line, std::string_view value);
Status setCache(CommandLine& line, std::string_view value);
Status setCacheLimit(CommandLine& line, std::string_view value);
Status setCacheCheck(CommandLine& line, std::string_view value);

} // namespace lockstep
