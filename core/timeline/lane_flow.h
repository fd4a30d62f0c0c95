// SPDX-License-Identifier: Apache-2.0
// LaneFlow: the lanes that are shown, each with its kind and its place from top to bottom. Made from scene,
// state and filter when one of them changes; independent of time and zoom. A value.
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
    const LaneKind* kind = nullptr; // immortal
    int y = 0;                      // from the top of the pinned or the scrolling part
    int height = 0;                 // all its rows with the line under each
    int rowHeight = 20;             // of each, without the line under it
    uint32_t rowsShown = 1;
    bool isCollapsed = false;
    bool isAlternate = false;
    std::string value; // of its header: what it is sorted by, else what its kind says of it; "" nothing
    std::shared_ptr<const RankMap> map; // of a folded group of many ranks
};

struct LaneFlow {
    std::vector<PlacedLane> scrolling; // ascending y, without gaps
    std::vector<PlacedLane> pinned;
    int scrollingHeight = 0;
    int pinnedHeight = 0;
    FrameMetrics metrics;
    // What the maps were made of: while it is the same they are kept.
    std::shared_ptr<const LaneTree> tree;
    std::shared_ptr<const Lateness> lateness;
    RankMapChoice rankMap;
    MemoryLook memoryLook = MemoryLook::category;

    int pitch() const { return metrics.pitch(); }
    // The place of a lane, or of the nearest lane above it in the tree that is shown; nullptr when there is
    // none. isPinned tells which part it is in. O(lanes).
    const PlacedLane* placeOf(const LaneTree& lanes, uint32_t lane, bool* isPinned) const;
};

// shown: by lane, from LaneFilter::shownLanes(). last: a flow made before, whose maps are kept where they
// still hold.
LaneFlow placeLanes(const Scene& scene, const LaneState& state, const std::vector<bool>& shown,
                    const FrameMetrics& metrics, const LaneFlow* last = nullptr);

} // namespace lockstep
