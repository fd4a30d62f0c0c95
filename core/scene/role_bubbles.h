// SPDX-License-Identifier: Apache-2.0
// RoleBubbles: when the devices of a process stood idle while those of another role worked, as the lanes of
// phases show it. Made with the scene whenever reports, clocks or lanes change; immutable.
#pragma once

#include <map>
#include <string>

#include "core/align/alignment.h"
#include "core/lanes/lane_tree.h"

namespace lockstep {

// Of one process. Idle moments shorter than BusyRow::kLeastIdle are none.
struct ProcessBubbles {
    std::vector<TimeRange> ranges; // aligned, ascending, within what was recorded
    std::vector<int64_t> sums_ns;  // by range: how long those before it are together
    Duration total;
    Duration recorded;         // the captures of its devices' work, what is known to be lost left out
    std::string others;        // the roles that worked meanwhile: "rollout, reward"
    bool isDeviceKnown = true; // false: another role's work may have run on the very device

    // O(log ranges).
    Duration lengthWithin(TimeRange range) const;
};

struct RoleBubbles {
    // By the key of the process' lane. Left out: processes without phases, role, device work or a placed
    // clock, and all where only one role has device work.
    std::map<std::string, ProcessBubbles, std::less<>> ofProcess;

    const ProcessBubbles* of(const LaneTree& tree, uint32_t process) const;
};

// Nothing is looked at where no process has phases. O(stretches of work * roles).
RoleBubbles findRoleBubbles(const Workspace& shown, const Alignment& alignment, const ReportLods& lods,
                            const LaneTree& tree);

} // namespace lockstep
