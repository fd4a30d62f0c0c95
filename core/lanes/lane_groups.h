// SPDX-License-Identifier: Apache-2.0
// LaneGroups: by which word each process stands in a group, where that is no part of its identity alone: its
// step, tool, rank, GPUs or communicators. Who was captured in several steps or by several tools is parted.
// Made for each lane tree. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/lanes/lane_tree.h"
#include "core/lanes/shown_process.h"

namespace lockstep {

// Whether processes of this grouping have words of their own; the others go by run, host and role.
bool groupsByWord(LaneGrouping grouping);
// What their group's key begins with: "step", "gpu".
std::string_view groupKeyWord(LaneGrouping grouping);
// What the group of those without a word is called: "no step".
std::string namelessGroup(LaneGrouping grouping);

// Sets their groups; each member stays in exactly one process. O(reports), of communicators O(collectives).
std::vector<ShownProcess> sayGroups(const Workspace& workspace, std::vector<ShownProcess> processes,
                                    LaneGrouping grouping);

} // namespace lockstep
