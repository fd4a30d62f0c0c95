// SPDX-License-Identifier: Apache-2.0
// ComparedLanes: which lane of one half of a comparison is which lane of the other. Processes are the same by
// role, rank and replica, and by the tool that recorded them where several did; those of no known rank by
// role and host, and last by role and order. Their lanes are the same by kind, GPU and stream, or by the
// names of thread and lane; what is left of a kind on both sides is paired in order. A lane is all tracks
// that belong together, however many reports hold them. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "core/scene/scene.h"

namespace lockstep {

struct LanePair {
    std::vector<TrackRef> a, b; // by the time of their first slice
    std::string label;          // "rank 3 actor, stream 7"
};

// A process that only one half has.
struct LonelyProcess {
    bool isInA = true;
    std::string label;
    std::vector<TrackRef> tracks;
};

struct ComparedLanes {
    std::vector<LanePair> pairs;       // a or b is empty where the process is there and the lane is not
    std::vector<LonelyProcess> lonely; // by half, then label
    size_t processes = 0;              // that both have
};

// Lanes without slices, and diagnostics, are none.
ComparedLanes compareLanes(const Scene& a, const Scene& b);

} // namespace lockstep
