// SPDX-License-Identifier: Apache-2.0
// Made-up report files, for where the demo cannot run its program: who shows them says so. Written by the
// program lockstep-demo-data that is installed beside this one. Any thread.
#pragma once

#include <filesystem>
#include <vector>

#include "core/base/result.h"

namespace lockstep {

// Writes an invented run's reports (2 nodes x 2 ranks x 2 steps) and its session file into folder, created if
// needed, and returns the reports' paths. notFound when lockstep-demo-data is not installed; io when it
// fails. Takes well under a second.
Result<std::vector<std::filesystem::path>> writeDemoReports(const std::filesystem::path& folder);

} // namespace lockstep
