// SPDX-License-Identifier: Apache-2.0
// The batch script that a plan submits with sbatch. Pure. Thread: any.
#pragma once

#include <string>
#include <string_view>

#include "core/session/recipes/recipe.h"

namespace lockstep {

// Returns the script. For programs that run on every host, it starts one task per node. Otherwise it runs
// only the command, after starting Ray if the session requests that. torchrun gets its position in the job
// from PET_* variables, which are set from Slurm's variables. program.folder is first created on every node.
std::string slurmScript(const RecipeInput& input, const Recipe& recipe, const RecipeProgram& program);

} // namespace lockstep
