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

class MemoryLane final : public LaneKind {
  public:
    std::string_view name() const override { return "memory"; }
    bool handles(const Lane& lane, bool isCollapsed) const override;
    int height(const PlacedLane& placed, const FrameMetrics& metrics) const override;
    bool hasRows() const override { return false; }
    void place(LaneFrame& frame, const LanePlace& place) const override;
    void fill(const LaneFrame& frame, const RowJob& job, DisplayRow& row) const override;
    void draw(const FrameMetrics& metrics, DisplayRow& row) const override;
    bool followsCursor() const override { return true; }
    std::vector<RowAlarm> alarms(const Scene& scene, const DisplayRow& row) const override;
    int endOf(const DisplayRow& row) const override;
    void separate(int x, DisplayRow& earlier, DisplayRow& later) const override;
    bool hit(const DisplayRow& row, int x, int y, Hit& hit) const override;
    std::vector<std::string> hover(const Scene& scene, const DisplayList& list,
                                   const Hit& hit) const override;
    bool matchesName(const Lane& lane, const NameMatcher& isMatch) const override;
    void write(std::ostream& out, const DisplayRow& row) const override;
};

} // namespace lockstep
