// SPDX-License-Identifier: Apache-2.0
// GroupUnion: one process group of one world, merged from the files of all ranks. Created by mergeGroups()
// before collectives are matched. Names alone are not unique across worlds, and files elide long rank lists.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/align/clock_partition.h"
#include "core/align/collective.h"

namespace lockstep {

// The group of one rank: indices into the rank list and into that rank's groups.
struct GroupMember {
    uint32_t rank = 0;
    uint32_t group = 0;

    friend auto operator<=>(const GroupMember&, const GroupMember&) = default;
};

struct GroupUnion {
    std::string world;
    std::string name;                 // as in the files; empty for unnamed NCCL work
    std::vector<int> ranks;           // complete, or empty if no member records all ranks
    std::vector<GroupMember> members; // ascending
    bool isPointToPoint = false;
    std::string refusal; // reason not to match the group; empty = none
};

// Merges named groups by (world, name, rank set). A member with an elided list joins the single complete list
// that matches its visible part, size and own rank. Refused are groups of a world in which one rank is in two
// reports that overlap in time (two indistinguishable jobs), members that their group does not list, and
// elided lists that match several groups. Groups that have the same rank list, but a different name on each
// rank, are joined. Unnamed groups come last, one union per world, and are later separated by pattern. Groups
// that span several roles of a run are joined. Sorted by (world, name, ranks).
std::vector<GroupUnion> mergeGroups(const std::vector<CollectiveRank>& ranks, const Workspace& workspace,
                                    const ClockPartition& partition);

} // namespace lockstep
