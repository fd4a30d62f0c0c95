// SPDX-License-Identifier: Apache-2.0
// RankMapTool moves the current rank of a rank map with the keyboard: Up and Down go to the next rank, Enter
// opens the rank, Esc leaves the map. A frame shows the rank, and the hover card describes it. UI thread.
#pragma once

#include <QRect>

#include "ui/timeline/timeline_context.h"

namespace lockstep {

class HoverTool;
class LaneTool;
class NavigationTool;

class RankMapTool : public TimelineTool {
  public:
    // All arguments must outlive the tool.
    RankMapTool(TimelineContext& context, const NavigationTool& navigation, LaneTool& lanes,
                const HoverTool& hover);

    void paint(QPainter& painter) override;

  private:
    bool step(int by);
    // Moves to another rank. Returns false if there is no rank in that direction or no map.
    bool moveBy(int by);
    void showRank();
    bool openRank();
    bool exitMap();
    // Returns the rectangle of the current rank's line in device pixels; empty if the rank is not visible.
    QRect lineRect() const;
    // Returns the hit that a mouse click on the current rank, at the center of a zoom, would produce. The
    // part of the hit is `nothing` if there is no current rank or it is not visible.
    Hit hit() const;

    TimelineContext& m_context;
    TimelineState& m_state;
    const NavigationTool& m_navigation;
    LaneTool& m_lanes;
    const HoverTool& m_hover;
    // Rank map that the user left with Esc; Up and Down then go to other lanes.
    uint32_t m_exitedMap = kNoLane;
};

} // namespace lockstep
