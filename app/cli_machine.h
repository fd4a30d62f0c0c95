// SPDX-License-Identifier: Apache-2.0
// The options of the command line that are about this machine: --jobs, --memory-limit, --cache and what goes
// with it. Part of cli.cpp's table; each takes one option's value. Pure.
#pragma once

#include "app/cli.h"

namespace lockstep {

Status setJobs(CommandLine& line, std::string_view value);
Status setMemoryLimit(CommandLine& line, std::string_view value);
Status setCache(CommandLine& line, std::string_view value);
Status setCacheLimit(CommandLine& line, std::string_view value);
Status setCacheCheck(CommandLine& line, std::string_view value);

} // namespace lockstep
