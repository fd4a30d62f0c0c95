// SPDX-License-Identifier: Apache-2.0
// Worlds: groups of ranks that belong to one job. Process groups are named "0", "1", ... in every job, and
// colocated roles (actor, rollout, critic) are separate jobs on the same GPUs, so collectives are never
// matched across worlds.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/align/clock_partition.h"
#include "core/align/collective.h"

namespace lockstep {

// Returns the ranks that are in two reports with overlapping times, by world. Reports without a wall clock
// count as overlapping with all others. A rank may have several captures in sequence, but simultaneous
// captures come from two jobs.
std::map<std::string, int> duplicateRanks(const std::vector<CollectiveRank>& ranks,
                                          const Workspace& workspace, const ClockPartition& partition);

// Assigns each report without a recorded job size (nsys) to the only job of its run and role that has a size,
// if there is exactly one.
void joinUnsizedWorlds(std::vector<CollectiveRank>& ranks);

// Adds the reports' folders to the names of worlds with duplicate ranks, because files from two launches
// seldom share a folder.
void separateWorlds(std::vector<CollectiveRank>& ranks, const Workspace& workspace,
                    const ClockPartition& partition);

// Tools name groups differently: PyTorch by process group, NCCL's NVTX by communicator; GPU kernels have no
// group name. The ranks of a world with mixed names are rebuilt from their GPU kernels, which are the same
// for all tools; the recorded details of operations are kept. Worlds with one kind of name are unchanged.
void unifyMixedWorlds(std::vector<CollectiveRank>& ranks, const Workspace& workspace);

} // namespace lockstep
