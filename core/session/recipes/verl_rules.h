// SPDX-License-Identifier: Apache-2.0
// The program and the preflight rules that verl and VeRL-Omni share. Pure; any thread.
#pragma once

#include "core/session/recipes/recipe.h"

namespace lockstep {

// The entry command with verl's overrides behind it. With Lockstep's own recording, its variables reach the
// workers through Ray's runtime environment.
Result<RecipeProgram> verlProgram(const RecipeInput& input);
void checkVerl(const RecipeInput& input, Findings& findings);
// Rules about roles alone: enabled or not, read or ignored, ranks. Part of checkVerl().
void checkVerlRoles(const RecipeInput& input, Findings& findings);

} // namespace lockstep
