// SPDX-License-Identifier: Apache-2.0
// GroupUnion: one process group of one world, put together from what each rank's file says of it. Made by
// uniteGroups() before collectives are matched; names alone recur in every world, and files elide long rank
// lists.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/align/clock_partition.h"
#include "core/align/collective.h"

namespace lockstep {

// One rank's group: indices into the rank list and into its groups.
struct GroupMember {
    uint32_t rank = 0;
    uint32_t group = 0;

    friend auto operator<=>(const GroupMember&, const GroupMember&) = default;
};

struct GroupUnion {
    std::string world;
    std::string name;                 // as the files have it; of unnamed NCCL work empty
    std::vector<int> ranks;           // complete, or empty when no member states them all
    std::vector<GroupMember> members; // ascending
    bool isPointToPoint = false;
    std::string refusal; // why it must not be matched; empty = it may
};

// Named groups by (world, name, rank set); a member with an elided list joins the one complete list that its
// visible part, size and own rank fit. Refused: groups of a world in which one rank stands in two reports
// that overlap in time (two jobs that cannot be told apart), members that their group does not list, elided
// lists that fit several groups. Groups of one rank list whose names differ from rank to rank are joined.
// Unnamed groups come last, one union a world, to be sorted out by pattern. Groups that span several roles of
// a run are joined, see spanning_groups.h. Sorted by (world, name, ranks).
std::vector<GroupUnion> uniteGroups(const std::vector<CollectiveRank>& ranks, const Workspace& workspace,
                                    const ClockPartition& partition);

} // namespace lockstep
