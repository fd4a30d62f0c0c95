// SPDX-License-Identifier: Apache-2.0
// The batch script a plan gives to sbatch. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "core/session/recipes/recipe.h"

namespace lockstep {

// One task per node for programs that run on every host; otherwise the command alone, after Ray was started
// where the session asks for it. torchrun takes its place in the job from PET_* variables set from Slurm's.
// program.folder is made on every node first.
std::string slurmScript(const RecipeInput& input, const Recipe& recipe, const RecipeProgram& program);

} // namespace lockstep
