// SPDX-License-Identifier: Apache-2.0
// Plain commands and torchrun under tool: torch. The program calls torch.profiler by itself: nothing is added
// to its command, and its traces are looked for where it says that it writes them. Pure; any thread.
#pragma once

#include "core/session/recipes/recipe.h"

namespace lockstep {

// save_path, else the working folder.
std::string ownTraceFolder(const SessionConfig& config);
// As many as the program writes, which nobody knows before: a part for each host, without a count.
void forecastOwnTraces(const RecipeInput& input, std::vector<ExpectedFile>& files);
// What the program must do, and where it is taken at its word.
void checkOwnTraces(const RecipeInput& input, Findings& findings);

} // namespace lockstep
