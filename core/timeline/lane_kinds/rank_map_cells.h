// SPDX-License-Identifier: Apache-2.0
// The cells of a rank map: what each of its lines shows pixel by pixel, and the share of ranks above it. Part
// of RankMapLane; pure.
#pragma once

#include <span>

#include "core/lanes/activity.h"
#include "core/timeline/lane_kind.h"
#include "core/timeline/rank_map.h"

namespace lockstep {

// Adds what the GPUs of a process did, each counting for its part, in each of parts.size() equal pixels.
void addActivities(const Scene& scene, uint32_t process, const PixelScale& axis,
                   std::span<ActivityParts> parts);

// Its lane that tells of most memory; nullptr where none does.
const Lane* memoryLaneOf(const Scene& scene, uint32_t process);

// What its memory counter reaches in a range (aligned), in bytes; absent where it has none.
std::optional<double> memoryOf(const Scene& scene, uint32_t process, TimeRange visible);

// Fills row.heat, and row.spans with the share. O(ranks * width).
void fillRankMap(const LaneFrame& frame, const RankMap& map, DisplayRow& row);

} // namespace lockstep
