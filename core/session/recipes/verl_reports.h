// SPDX-License-Identifier: Apache-2.0
// What verl and VeRL-Omni leave behind: reports per role, rank, step and stage. Shared by both recipes. Pure;
// any thread.
#pragma once

#include "core/session/recipes/recipe.h"

namespace lockstep {

void forecastVerl(const RecipeInput& input, std::vector<ExpectedFile>& files);

// Ranks of a role that record: its list, all of the known world, or rank 0 where an enabled role names none.
// rankCount stays empty where all_ranks is set and the world is not known.
struct RecordedRanks {
    std::vector<int64_t> ranks;
    std::optional<int64_t> rankCount;
};
RecordedRanks recordedRanks(const RecipeInput& input, Role role);

} // namespace lockstep
