// SPDX-License-Identifier: Apache-2.0
// RoleBubbles: the times at which the devices of a process were idle while devices of another role were busy.
// Shown in the phase lanes. Computed with the scene whenever reports, clocks or lanes change. Immutable.
#pragma once

#include <map>
#include <string>

#include "core/align/alignment.h"
#include "core/lanes/lane_tree.h"

namespace lockstep {

// The bubbles of one process. Idle periods shorter than BusyRow::kMinIdle are ignored.
struct ProcessBubbles {
    std::vector<TimeRange> ranges; // aligned, ascending, within the recorded time
    std::vector<int64_t> sums_ns;  // by range: total length of the ranges before it
    Duration total;
    Duration recorded;         // captured time of the process's GPU work, excluding known losses
    std::string others;        // the roles that were busy during the bubbles: "rollout, reward"
    bool isDeviceKnown = true; // if false, the work of the other role may have run on the same device

    // Returns the total length of the bubbles inside `range`. O(log ranges).
    Duration lengthWithin(TimeRange range) const;
};

struct RoleBubbles {
    // By lane key of the process. Excludes processes without phases, role, GPU work or an aligned clock.
    // Empty if only one role has GPU work.
    std::map<std::string, ProcessBubbles, std::less<>> ofProcess;

    const ProcessBubbles* of(const LaneTree& tree, uint32_t process) const;
};

// Finds the bubbles. Returns immediately if no process has phases. O(stretches of work * roles).
RoleBubbles findRoleBubbles(const Workspace& shown, const Alignment& alignment, const ReportLods& lods,
                            const LaneTree& tree);

} // namespace lockstep
