// SPDX-License-Identifier: Apache-2.0
// LaneFlow: the visible lanes from top to bottom, each with its kind and position. Recomputed when the scene,
// the state or the filter changes; independent of time and zoom. Value type.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/lanes/lane_state.h"
#include "core/scene/scene.h"
#include "core/timeline/frame_metrics.h"
#include "core/timeline/rank_map.h"

namespace lockstep {

class LaneKind;

struct PlacedLane {
    uint32_t lane = 0;
    const LaneKind* kind = nullptr; // static lifetime
    int y = 0;                      // from the top of the pinned or scrolling part
    int height = 0;                 // height of all its rows, each with the line below it
    int rowHeight = 20;             // height of each row, without the line below it
    uint32_t rowsShown = 1;
    bool isCollapsed = false;
    bool isAlternate = false;
    std::string value; // value in its header: the sort value, otherwise the value provided by its kind; "" if
                       // there is neither
    std::shared_ptr<const RankMap> map; // set for a collapsed group of many ranks
};

struct LaneFlow {
    std::vector<PlacedLane> scrolling; // sorted by ascending y, without gaps
    std::vector<PlacedLane> pinned;
    int scrollingHeight = 0;
    int pinnedHeight = 0;
    FrameMetrics metrics;
    // Inputs of the rank maps; the maps are reused as long as these inputs are unchanged.
    std::shared_ptr<const LaneTree> tree;
    std::shared_ptr<const Lateness> lateness;
    RankMapChoice rankMap;
    MemoryLook memoryLook = MemoryLook::category;

    int pitch() const { return metrics.pitch(); }
    // Returns the place of a lane. If the lane is not visible, returns the place of its nearest visible
    // ancestor, or nullptr if there is none. isPinned: set to true if the place is in the pinned part.
    // O(lanes).
    const PlacedLane* placeOf(const LaneTree& lanes, uint32_t lane, bool* isPinned) const;
    // Returns the lane of the process that contains a scrolling lane, or the lane itself if it is that of a
    // process. The lane of a process stays in view while the lanes below it scroll. Returns nullptr if there
    // is none or it is collapsed. O(lanes).
    const PlacedLane* processOf(const LaneTree& lanes, uint32_t lane) const;
};

// shown: for each lane, whether it is visible, from LaneFilter::shownLanes(). last: an earlier flow, whose
// maps are reused if they are still valid.
LaneFlow placeLanes(const Scene& scene, const LaneState& state, const std::vector<bool>& shown,
                    const FrameMetrics& metrics, const LaneFlow* last = nullptr);

} // namespace lockstep
