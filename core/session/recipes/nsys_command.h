// SPDX-License-Identifier: Apache-2.0
// `nsys profile` around a program that Lockstep starts itself: torchrun and plain commands. Pure; any thread.
#pragma once

#include "core/session/recipes/recipe.h"

namespace lockstep {

// "nsys", "profile" and its options: a preset for training (CUDA and NVTX, no CPU sampling, no export), over
// which the session's worker options win. With steps, the program's own cudaProfilerStart and Stop open and
// close each report.
std::vector<std::string> nsysProfileWords(const SessionConfig& config, std::string_view outputName);
// Folder of the reports: save_path, else `reports` in the run folder.
std::string nsysFolder(const SessionConfig& config);
// The folder that has to be there before the program starts; "" when nothing is recorded or the session's own
// output option names the place.
std::string reportFolder(const SessionConfig& config);

// Place of the reports where the session's own output option names one: folder, and a pattern that fits its
// name.
void useOwnOutput(const SessionConfig& config, ExpectedFile& file);

// Rules for programs that call the profiler themselves.
void checkOwnCalls(const RecipeInput& input, Findings& findings);

} // namespace lockstep
