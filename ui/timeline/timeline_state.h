// TimelineState: everything the timeline's widgets show and change together: the workspace with its lanes,
// the visible range, the selection. Owned by the TimelineView (or a picture), read by its parts. GUI thread.
#pragma once

#include "core/timeline/lane_filter.h"
#include "core/timeline/layout.h"
#include "core/timeline/view_window.h"
#include "ui/style/theme.h"

namespace lockstep {

class TimelineState {
  public:
    // Keeps lanes' state, selection and visible range as far as they still make sense.
    void setWorkspace(Workspace workspace, Alignment alignment, ReportLods lods);
    void setLaneOptions(const LaneOptions& options);
    void setLaneState(LaneState state);
    void setFilter(LaneFilter filter);
    // Device pixels of one pixel at scale 1, for fonts and rows.
    void setScale(double scale);

    const Workspace& workspace() const { return m_workspace; }
    const Alignment& alignment() const { return m_alignment; }
    const ReportLods& lods() const { return m_lods; }
    const LaneTree& tree() const { return m_tree; }
    const LaneFlow& flow() const { return m_flow; }
    const LaneState& laneState() const { return m_laneState; }
    const LaneOptions& laneOptions() const { return m_options; }
    const LaneFilter& filter() const { return m_filter; }
    double scale() const { return m_scale; }
    int px(double atScaleOne) const;
    TimeRange extent() const { return m_extent; } // of the workspace, aligned

    Scene scene() const { return {m_workspace, m_alignment, m_lods, m_tree, m_flow, m_font}; }
    FrameView frameView(PixelSize size) const;
    // On the aligned axis; empty for an invalid slice.
    std::optional<TimeRange> rangeOf(SliceRef slice) const;
    bool holds(SliceRef slice) const;

    void setCollapsed(const Lane& lane, bool collapsed);
    // Sets selection.slice and, where it is part of a collective, its parts in other reports.
    void select(SliceRef slice);
    // Shows reports as if they were moved by this much from where the alignment has them, until the next
    // workspace or a preview of zero.
    void previewShift(const std::vector<ReportId>& reports, Duration by);
    // The reports with rows in a lane or below it.
    std::vector<ReportId> reportsUnder(uint32_t lane) const;

    ViewWindow window;
    Selection selection;
    const Theme* theme = &lightTheme();
    int scroll = 0;           // device pixels
    double headerWidth = 260; // at scale 1
    uint32_t focusedLane = kNoLane;

  private:
    void rebuildFlow();

    Workspace m_workspace;
    Alignment m_alignment;
    std::vector<ReportId> m_previewed;
    Duration m_preview;
    ReportLods m_lods;
    LaneOptions m_options;
    LaneTree m_tree;
    LaneState m_laneState;
    LaneFilter m_filter;
    LaneFlow m_flow;
    LabelFont m_font;
    TimeRange m_extent;
    double m_scale = 0;
};

} // namespace lockstep
