// SPDX-License-Identifier: Apache-2.0
// ComparedLanes: pairs the lanes in the two panes of a comparison. Processes are matched by role, rank and
// replica, and, if several tools recorded the same process, by the tool. Processes without a known rank are
// matched by role and host, and finally by role and order. Their lanes are matched by kind, GPU and stream,
// or by the names of thread and lane. Remaining lanes of a kind are paired in order. A lane consists of all
// tracks that belong together, in any number of reports. Pure. Thread: any.
#pragma once

#include <string>
#include <vector>

#include "core/scene/scene.h"

namespace lockstep {

struct LanePair {
    std::vector<TrackRef> a, b; // in the order of their first slices
    std::string label;          // "rank 3 actor, stream 7"
};

// A process that exists in only one pane.
struct UnpairedProcess {
    bool isInA = true;
    std::string label;
    std::vector<TrackRef> tracks;
};

struct ComparedLanes {
    std::vector<LanePair> pairs; // a or b is empty if the process exists there but the lane does not
    std::vector<UnpairedProcess> unpaired; // sorted by pane, then by label
    size_t processes = 0;                  // number of processes in both panes
};

// Skips lanes without slices and diagnostic lanes.
ComparedLanes compareLanes(const Scene& a, const Scene& b);

} // namespace lockstep
