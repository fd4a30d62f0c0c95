// SPDX-License-Identifier: Apache-2.0
// Synthetic report files for machines on which the demo cannot run. The caller must tell the user that the
// reports are synthetic. The program lockstep-demo-data, which is installed next to this program, writes the
// files. Any thread.
#pragma once

#include <filesystem>
#include <vector>

#include "core/base/result.h"

namespace lockstep {

// Writes the reports (2 nodes x 2 ranks x 2 steps) and the session file of a synthetic run to `folder`, which
// is created if needed. Returns the paths of the reports. Takes well under a second. Errors: notFound
// (lockstep-demo-data is not installed), io.
Result<std::vector<std::filesystem::path>> writeDemoReports(const std::filesystem::path& folder);
// The same for a synthetic asynchronous run of 64 GPUs with this number of requests.
Result<std::vector<std::filesystem::path>> writeAsyncReports(const std::filesystem::path& folder,
                                                             int requests);

} // namespace lockstep
