// SPDX-License-Identifier: Apache-2.0
// LaneGroups: assigns processes to groups by properties other than their identity: step, tool, GPUs or
// communicators, or rank. A process that was captured in several steps or by several tools is split.
// Recomputed for each lane tree. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/lanes/lane_tree.h"
#include "core/lanes/shown_process.h"

namespace lockstep {

// Returns whether this grouping assigns group names to processes. For other groupings, processes are grouped
// by run, host and role.
bool groupsByName(LaneGrouping grouping);
// Returns the prefix of a group's key: "step", "gpu".
std::string_view groupKeyPrefix(LaneGrouping grouping);
// Returns the name of the group for processes that have no group name: "no step".
std::string namelessGroup(LaneGrouping grouping);

// Sets the groups. Each group member stays in exactly one process. O(reports), or O(collectives) for
// communicators.
std::vector<ShownProcess> assignGroups(const Workspace& workspace, std::vector<ShownProcess> processes,
                                       LaneGrouping grouping);

} // namespace lockstep
