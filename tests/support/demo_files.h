// SPDX-License-Identifier: Apache-2.0
// Writes a DemoRun as the report files such a run leaves behind: nsys SQLite exports of the workers and
// PyTorch traces of the rollout engines, under the names verl gives them.
#pragma once

#include <filesystem>
#include <vector>

#include "core/base/result.h"
#include "tests/support/demo_run.h"

namespace lockstep::test {

// 16 files (2 kinds x 4 ranks x 2 steps), under 3 MB together. Existing files of these names are replaced.
Result<std::vector<std::filesystem::path>> writeDemoFiles(const std::filesystem::path& folder);

// One part as an nsys export of schema 3.20.2 on its node's own session clock, and as a Kineto trace of 2025.
Status writeNsysExport(const DemoPart& part, const std::filesystem::path& path);
Status writeKinetoTrace(const DemoPart& part, const std::filesystem::path& path);

} // namespace lockstep::test
