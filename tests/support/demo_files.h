// SPDX-License-Identifier: Apache-2.0
// Writes a DemoRun as report files of such a run: nsys SQLite exports of the workers and PyTorch traces of
// the rollout engines, with the names that verl uses.
#pragma once

#include <filesystem>
#include <vector>

#include "core/base/result.h"
#include "tests/support/demo_run.h"

namespace lockstep::test {

// Writes 16 files (2 kinds x 4 ranks x 2 steps), under 3 MB together. Replaces existing files of these names.
Result<std::vector<std::filesystem::path>> writeDemoFiles(const std::filesystem::path& folder);

// Writes one part as an nsys export of schema 3.20.2 with its node's session clock, or as a Kineto trace of
// 2025.
Status writeNsysExport(const DemoPart& part, const std::filesystem::path& path);
Status writeKinetoTrace(const DemoPart& part, const std::filesystem::path& path);

} // namespace lockstep::test
