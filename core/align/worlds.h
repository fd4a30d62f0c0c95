// Worlds: which ranks belong to one job. Process groups are named "0", "1" ... in every job, and colocated
// roles (actor, rollout, critic) are jobs of their own on the same GPUs, so collectives are never matched
// across worlds.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/align/clock_partition.h"
#include "core/align/collective.h"

namespace lockstep {

// Ranks that stand in two reports whose times overlap, by world; reports without a wall clock overlap
// everything. A rank may have several captures, one after the other; two at once are two jobs.
std::map<std::string, int> doubledRanks(const std::vector<CollectiveRank>& ranks, const Workspace& workspace,
                                        const ClockPartition& partition);

// Puts the reports' folders into the names of worlds with doubled ranks: files of two launches seldom share
// one.
void separateWorlds(std::vector<CollectiveRank>& ranks, const Workspace& workspace,
                    const ClockPartition& partition);

} // namespace lockstep
