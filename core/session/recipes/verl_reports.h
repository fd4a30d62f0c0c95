// SPDX-License-Identifier: Apache-2.0
// The reports written by verl and VeRL-Omni, per role, rank, step and stage. Shared by both recipes. Pure.
// Thread: any.
#pragma once

#include "core/session/recipes/recipe.h"

namespace lockstep {

void forecastVerl(const RecipeInput& input, std::vector<ExpectedFile>& files);

// The ranks of a role that are recorded: its list of ranks, otherwise all ranks if the world size is known,
// otherwise rank 0 for an enabled role without ranks. rankCount is empty if all_ranks is set and the world
// size is unknown.
struct RecordedRanks {
    std::vector<int64_t> ranks;
    std::optional<int64_t> rankCount;
};
RecordedRanks recordedRanks(const RecipeInput& input, Role role);

} // namespace lockstep
