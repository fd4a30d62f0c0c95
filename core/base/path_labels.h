// SPDX-License-Identifier: Apache-2.0
// Short, distinct labels for file paths. Pure; any thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lockstep {

// Returns a label for each path: its file name, preceded by its folders below the deepest common folder of
// all paths if the file name occurs more than once. Same order as `paths`.
std::vector<std::string> pathLabels(const std::vector<std::filesystem::path>& paths);

} // namespace lockstep
