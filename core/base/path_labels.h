// SPDX-License-Identifier: Apache-2.0
// PathLabels: short names of files beside each other. Pure; any thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lockstep {

// Each path's file name; where several have the same, with the folders below the deepest one that all paths
// lie in. In the order of the paths.
std::vector<std::string> pathLabels(const std::vector<std::filesystem::path>& paths);

} // namespace lockstep
