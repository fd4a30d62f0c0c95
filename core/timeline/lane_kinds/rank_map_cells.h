// SPDX-License-Identifier: Apache-2.0
// The cells of a rank map: the content of each line, pixel by pixel, and the share of ranks in each state
// above the map. Part of RankMapLane. Pure.
#pragma once

#include <span>

#include "core/lanes/activity.h"
#include "core/timeline/lane_kind.h"
#include "core/timeline/rank_map.h"

namespace lockstep {

// Adds the activity of a process's GPUs, with equal weight for each GPU, for each of parts.size() equal
// pixels. For a process without a GPU, adds the activity of its slices: communication if a slice of that
// category is open at any depth.
void addActivities(const Scene& scene, uint32_t process, const PixelScale& axis,
                   std::span<ActivityParts> parts);

// The memory lane, or counter lane in bytes, of a process whose maximum is the highest.
struct ProcessMemory {
    const Lane* lane = nullptr; // nullptr: there is none
    double most_bytes = 0;
};
ProcessMemory processMemory(const Scene& scene, uint32_t process);

// Returns the maximum of that lane's memory counter in an aligned range, in bytes; nullopt if there is none.
std::optional<double> memoryOf(const Scene& scene, uint32_t process, TimeRange visible);

// Fills `heat`, and fills row.spans with the share of ranks in each state. If ranks * width exceeds
// kMostRankCells, several pixels next to each other share a cell, so that a gesture stays smooth with ten
// thousand ranks; not if gaps on the axis are collapsed. O(ranks * width).
inline constexpr size_t kMostRankCells = 6'000'000;
void fillRankMap(const LaneFrame& frame, const RankMap& map, HeatMap& heat, DisplayRow& row);

} // namespace lockstep
