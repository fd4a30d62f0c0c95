// SPDX-License-Identifier: Apache-2.0
// Plain commands and torchrun with tool: torch. The program calls torch.profiler itself, so nothing is added
// to its command. Lockstep searches for its traces in the folder specified by the session. Pure. Thread: any.
#pragma once

#include "core/session/recipes/recipe.h"

namespace lockstep {

// Returns save_path, otherwise the working folder.
std::string ownTraceFolder(const SessionConfig& config);
// Adds one line per host without a report count, because the number of traces is unknown before the run.
void forecastOwnTraces(const RecipeInput& input, std::vector<ExpectedFile>& files);
// Explains what the program must do, and reports what Lockstep assumes about it.
void checkOwnTraces(const RecipeInput& input, Findings& findings);

} // namespace lockstep
