// SPDX-License-Identifier: Apache-2.0
#include "core/lanes/area.h"

#include <algorithm>

#include "core/lanes/lane_state.h"

namespace lockstep {

SliceList sliceListOf(std::vector<SliceRef> slices)
{
    if (slices.empty()) return nullptr;
    if (!std::ranges::is_sorted(slices)) std::ranges::sort(slices);
    slices.erase(std::ranges::unique(slices).begin(), slices.end());
    return std::make_shared<const std::vector<SliceRef>>(std::move(slices));
}

std::vector<uint32_t> lanesIn(const LaneTree& tree, const Area& area)
{
    std::vector<uint32_t> lanes, pending;
    for (const AreaLane& lane : area.lanes) {
        const uint32_t found = tree.find(lane.key);
        if (found == kNoLane) continue;
        lanes.push_back(found);
        if (!lane.isWhole) continue;
        pending.push_back(found);
        while (!pending.empty()) {
            const uint32_t at = pending.back();
            pending.pop_back();
            for (const uint32_t child : tree.childrenOf(at)) {
                lanes.push_back(child);
                pending.push_back(child);
            }
        }
    }
    std::ranges::sort(lanes);
    lanes.erase(std::ranges::unique(lanes).begin(), lanes.end());
    return lanes;
}

TimeRange hullOf(std::span<const Area> areas)
{
    TimeRange hull;
    for (const Area& area : areas)
        hull = hull.unitedWith(area.range);
    return hull;
}

void followLanes(std::vector<Area>& areas, const LaneTree& before, const LaneTree& after)
{
    for (Area& area : areas) {
        for (AreaLane& lane : area.lanes) {
            // The lane is expanded in the same way as if the user expanded it.
            LaneState state;
            state.opened.insert(lane.key);
            state.follow(before, after);
            lane.key = *state.opened.begin();
        }
    }
}

} // namespace lockstep
