// SPDX-License-Identifier: Apache-2.0
// MemoryLane: the memory of a device, from the history in a snapshot. Active memory is drawn as stacked
// areas, by purpose or by the largest stacks; reserved memory is a line above them. Each pixel shows the
// point in time at which its active memory is highest, so that no peak is lost. Steps, snapshots and failed
// allocations are marked.
#pragma once

#include "core/memory/memory_lod.h"
#include "core/timeline/lane_kind.h"

namespace lockstep {

struct MemoryHitData {
    MemoryMoment moment = 0;       // the moment that the pixel shows
    uint8_t group = kMemoryGroups; // the area that was hit; kMemoryGroups: above all areas
};

// Returns the target of a click on a memory lane: the largest block in the area at that pixel. Returns an
// invalid block if there is no area at that pixel.
BlockRef blockAt(const Scene& scene, const DisplayList& list, const Hit& hit);

} // namespace lockstep
