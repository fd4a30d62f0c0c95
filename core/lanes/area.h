// SPDX-License-Identifier: Apache-2.0
// Area: an area selection: a time range and the lanes it covers, identified by keys that remain valid when
// the tree is rebuilt. Created by dragging over lanes, stored in a Selection and in workspace files, read by
// layout and by aggregates. Value type. Thread: any.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/lanes/lane_tree.h"

namespace lockstep {

struct AreaLane {
    std::string key;
    // true if the area includes all lanes below the lane, because the lane was collapsed when selected
    bool isWhole = false;

    friend bool operator==(const AreaLane&, const AreaLane&) = default;
};

struct Area {
    TimeRange range; // aligned
    std::vector<AreaLane> lanes;

    friend bool operator==(const Area&, const Area&) = default;
};

// Individually selected slices, sorted and without duplicates; nullptr if there are none. Shared, because
// there may be millions.
using SliceList = std::shared_ptr<const std::vector<SliceRef>>;

// Sorts the slices and removes duplicates. Returns nullptr if the list is empty.
SliceList sliceListOf(std::vector<SliceRef> slices);

// Returns the lanes of the tree in an area, without duplicates, top to bottom; unknown keys are ignored.
// O(lanes in the area).
std::vector<uint32_t> lanesIn(const LaneTree& tree, const Area& area);
// Returns the range from the first start to the last end; empty if there are no areas.
TimeRange hullOf(std::span<const Area> areas);
// Updates the keys of areas when lanes get new keys. See LaneState::follow().
void followLanes(std::vector<Area>& areas, const LaneTree& before, const LaneTree& after);

} // namespace lockstep
