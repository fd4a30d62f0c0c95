// SPDX-License-Identifier: Apache-2.0
// What Lockstep's own capture library is told through a program's environment. Pure; any thread.
#pragma once

#include "core/session/recipes/recipe.h"

namespace lockstep {

// Empty unless the session's tool is capture. LOCKSTEP_RANKS and LOCKSTEP_STEPS are comma lists; absent means
// all.
TextPairs captureEnvironment(const RecipeInput& input, std::string_view role);
// Folder for its files: save_path, else `reports` in the run folder.
std::string captureFolder(const SessionConfig& config);
void forecastCapture(const RecipeInput& input, std::vector<ExpectedFile>& files);

} // namespace lockstep
