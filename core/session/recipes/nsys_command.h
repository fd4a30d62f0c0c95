// SPDX-License-Identifier: Apache-2.0
// Wraps `nsys profile` around a program that Lockstep starts itself: torchrun and plain commands. Pure.
// Thread: any.
#pragma once

#include "core/session/recipes/recipe.h"

namespace lockstep {

// Returns a preset of options for training: CUDA and NVTX, no CPU sampling. If steps are set, the program's
// cudaProfilerStart and cudaProfilerStop calls begin and end each report.
NsightOptions nsysProfileDefaults(const SessionConfig& config);
// Returns "nsys", "profile" and its options: the preset, without statistics and export, overridden by the
// session's worker options.
std::vector<std::string> nsysProfileCommand(const SessionConfig& config, std::string_view outputName);
// Returns the folder for the reports: save_path, otherwise `reports` in the run folder.
std::string nsysFolder(const SessionConfig& config);
// Returns the folder to create before the program starts, or "" if nothing is recorded or the session's
// output option sets the path.
std::string reportFolder(const SessionConfig& config);

// Sets the folder and the name pattern of the reports if the session's output option sets their path.
void applyCustomOutput(const SessionConfig& config, ExpectedFile& file);

// Checks settings for programs that call the profiler themselves.
void checkProfilerCalls(const RecipeInput& input, Findings& findings);

} // namespace lockstep
