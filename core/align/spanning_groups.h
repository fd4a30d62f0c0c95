// SPDX-License-Identifier: Apache-2.0
// Process groups that span several roles of a run: an actor and a rollout engine that share one communicator
// each report it in their own job. Used by matchCollectives() only.
#pragma once

#include <vector>

#include "core/align/group_union.h"

namespace lockstep {

// Joins unions of equal run, name, size and rank list whose members have different positions in the group,
// where one of these proves that the group is one: its name is a communicator id; it is larger than the job
// of every member; or its members fill it exactly, read one clock, and their collectives of equal numbers
// overlap in time. All other unions stay as they are, in their order. O(unions log unions + parts log parts).
void joinSpanningGroups(const std::vector<CollectiveRank>& ranks, const ClockPartition& partition,
                        std::vector<GroupUnion>& unions);

} // namespace lockstep
