// SPDX-License-Identifier: Apache-2.0
// SliceLane: slices, one row per depth. Wide slices are labeled boxes; pixels with many slices are columns.
// Also provides the hit tests and hover texts that slices share with busy rows.
#pragma once

#include "core/timeline/lane_kind.h"

namespace lockstep {

class SliceLane : public LaneKind {
  public:
    std::string_view name() const override { return "slices"; }
    bool handles(const Lane& lane, bool isCollapsed) const override;
    void place(LaneFrame& frame, const LanePlace& place) const override;
    void fill(const LaneFrame& frame, const RowJob& job, DisplayRow& row) const override;
    void draw(const FrameMetrics& metrics, DisplayRow& row) const override;
    bool hit(const DisplayRow& row, int x, int y, Hit& hit) const override;
    std::vector<std::string> hover(const Scene& scene, const DisplayList& list,
                                   const Hit& hit) const override;
    int endOf(const DisplayRow& row) const override;
    void separate(int x, DisplayRow& earlier, DisplayRow& later) const override;
    void write(std::ostream& out, const DisplayRow& row) const override;

  protected:
    void drawHits(const FrameMetrics& metrics, DisplayRow& row) const;
    void drawBoxes(const FrameMetrics& metrics, DisplayRow& row) const;

  private:
    void placeSummary(LaneFrame& frame, const LanePlace& place) const;
    void placeTrack(LaneFrame& frame, const LanePlace& place, const RowSource& source, bool isFirst) const;
};

} // namespace lockstep
