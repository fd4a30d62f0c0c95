// SPDX-License-Identifier: Apache-2.0
// Profiling of programs that Lockstep starts itself (torchrun and plain commands), with `nsys profile` or
// with torch.profiler calls in the program. Pure. Thread: any.
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

// Plain commands and torchrun with tool: torch. The program calls torch.profiler itself, so nothing is added
// to its command. Lockstep searches for its traces in the folder specified by the session.

// Returns save_path, otherwise the working folder.
std::string ownTraceFolder(const SessionConfig& config);
// Adds one line per host without a report count, because the number of traces is unknown before the run.
void forecastOwnTraces(const RecipeInput& input, std::vector<ExpectedFile>& files);
// Explains what the program must do, and reports what Lockstep assumes about it.
void checkOwnTraces(const RecipeInput& input, Findings& findings);

// Returns the words that start the processes of a host with torchrun, without what each process runs.
std::vector<std::string> torchrunArguments(const RecipeInput& input);

} // namespace lockstep
