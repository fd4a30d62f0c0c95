// SPDX-License-Identifier: Apache-2.0
// Area: a piece of the timeline: a range of time and the lanes that were crossed, told by keys that outlive
// the tree. Made by whoever drags over lanes, kept in a Selection and in workspace files, read by the frame's
// layout and by what is counted of it. A value; any thread.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/lanes/lane_tree.h"

namespace lockstep {

struct AreaLane {
    std::string key;
    bool isWhole = false; // with all lanes below it: it was folded

    friend bool operator==(const AreaLane&, const AreaLane&) = default;
};

struct Area {
    TimeRange range; // aligned
    std::vector<AreaLane> lanes;

    friend bool operator==(const Area&, const Area&) = default;
};

// Slices picked one by one: sorted, each once; nullptr: none. Shared, because there may be millions.
using SliceList = std::shared_ptr<const std::vector<SliceRef>>;

// Sorts what was picked and keeps each once; nullptr for none.
SliceList sliceListOf(std::vector<SliceRef> slices);

// The lanes of the tree that an area takes, each once, top to bottom; keys that no lane has do nothing.
// O(lanes taken).
std::vector<uint32_t> lanesIn(const LaneTree& tree, const Area& area);
// From the first begin to the last end; empty of none.
TimeRange hullOf(std::span<const Area> areas);
// Where lanes got other keys, those of an area go with them. See LaneState::follow().
void followLanes(std::vector<Area>& areas, const LaneTree& before, const LaneTree& after);

} // namespace lockstep
