// SPDX-License-Identifier: Apache-2.0
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

// A report whose file does not say how many ranks its job has (nsys) belongs to the one job of its run and
// role that does, when there is just one.
void joinUnsizedWorlds(std::vector<CollectiveRank>& ranks);

// Puts the reports' folders into the names of worlds with doubled ranks: files of two launches seldom share
// one.
void separateWorlds(std::vector<CollectiveRank>& ranks, const Workspace& workspace,
                    const ClockPartition& partition);

// Tools name groups differently: PyTorch by process group, NCCL's NVTX by communicator, kernels not at all.
// The ranks of a world that mixes them are seen anew by their kernels, which all tools write alike; what each
// file states of an operation stays with it. Worlds of one kind are left as they are.
void unifyMixedWorlds(std::vector<CollectiveRank>& ranks, const Workspace& workspace);

} // namespace lockstep
