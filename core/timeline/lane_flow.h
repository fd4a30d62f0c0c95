// LaneFlow: the lanes that are shown, each with its place from top to bottom. Made from tree, state and
// filter when one of them changes; independent of time and zoom. A value.
#pragma once

#include <vector>

#include "core/lanes/lane_state.h"

namespace lockstep {

struct PlacedLane {
    uint32_t lane = 0;
    int y = 0;      // from the top of the pinned or the scrolling part
    int height = 0; // all its rows with the line under each
    uint32_t rowsShown = 1;
    bool isCollapsed = false;
    bool isAlternate = false;
};

struct LaneFlow {
    std::vector<PlacedLane> scrolling; // ascending y, without gaps
    std::vector<PlacedLane> pinned;
    int scrollingHeight = 0;
    int pinnedHeight = 0;
    int rowHeight = 20; // without the line of 1 px between rows

    int pitch() const { return rowHeight + 1; }
    // The place of a lane, or of the nearest lane above it in the tree that is shown; nullptr when there is
    // none. isPinned tells which part it is in. O(lanes).
    const PlacedLane* placeOf(const LaneTree& tree, uint32_t lane, bool* isPinned) const;
};

// shown: by lane, from LaneFilter::shownLanes(). rowHeight in pixels. Counters take two rows.
LaneFlow placeLanes(const LaneTree& tree, const LaneState& state, const std::vector<bool>& shown,
                    int rowHeight);

} // namespace lockstep
