// SPDX-License-Identifier: Apache-2.0
// The demo's report files, written on request by the program lockstep-demo-data that is installed beside this
// one.
#pragma once

#include <filesystem>
#include <vector>

#include "core/base/result.h"

namespace lockstep {

// Where the demo's reports go when no folder was named: below $XDG_CACHE_HOME, else ~/.cache.
std::filesystem::path demoFolder();

// Writes the demo run's reports (2 nodes x 2 ranks x 2 steps) and its session file into folder, created if
// needed, and returns the reports' paths. notFound when lockstep-demo-data is not installed; io when it
// fails. Takes well under a second.
Result<std::vector<std::filesystem::path>> writeDemoReports(const std::filesystem::path& folder);

} // namespace lockstep
