// SPDX-License-Identifier: Apache-2.0
// Joins process groups that span several roles of a run: an actor and a rollout engine that share one
// communicator each record it in their own job. Used only by matchCollectives().
#pragma once

#include <vector>

#include "core/align/group_union.h"

namespace lockstep {

// Joins unions with equal run, name, size and rank list whose members have different positions in the group,
// if one of the following proves that the group is one: its name is a communicator ID; it is larger than the
// job of every member; or its members fill it exactly, share one clock, and have collectives with equal
// sequence numbers that overlap in time. All other unions stay unchanged and keep their order. O(unions log
// unions + parts log parts).
void joinSpanningGroups(const std::vector<CollectiveRank>& ranks, const ClockPartition& partition,
                        std::vector<GroupUnion>& unions);

} // namespace lockstep
