#include "ui/timeline/timeline_state.h"

#include <cmath>

#include "ui/timeline/timeline_font.h"

namespace lockstep {

void TimelineState::setWorkspace(Workspace workspace, Alignment alignment, ReportLods lods)
{
    const bool wasEmpty = m_extent.isEmpty();
    // Reports are appended or reloaded: a selection holds while its place shows the same report object.
    const bool keeps = holds(selection.slice) && selection.slice.report.value < workspace.size() &&
                       workspace.reports()[selection.slice.report.value] ==
                           m_workspace.reports()[selection.slice.report.value];
    if (!keeps) selection.slice = {};
    m_workspace = std::move(workspace);
    m_alignment = std::move(alignment);
    m_lods = std::move(lods);
    m_extent = m_alignment.extent(m_workspace);
    if (wasEmpty) {
        window = ViewWindow(m_extent);
    } else {
        window.setBounds(m_extent);
    }
    setLaneOptions(m_options);
}

void TimelineState::setLaneOptions(const LaneOptions& options)
{
    const std::string focused = focusedLane < m_tree.size() ? m_tree.lane(focusedLane).key : std::string();
    m_options = options;
    m_tree = buildLaneTree(m_workspace, m_alignment, m_lods, m_options);
    focusedLane = focused.empty() ? kNoLane : m_tree.find(focused);
    rebuildFlow();
}

void TimelineState::setLaneState(LaneState state)
{
    m_laneState = std::move(state);
    rebuildFlow();
}

void TimelineState::setFilter(LaneFilter filter)
{
    m_filter = std::move(filter);
    rebuildFlow();
}

void TimelineState::setScale(double scale)
{
    if (scale == m_scale) return;
    const double ratio = m_scale > 0 ? scale / m_scale : 1;
    m_scale = scale;
    m_font = labelFontOf(timelineFont(scale));
    scroll = static_cast<int>(scroll * ratio);
    rebuildFlow();
}

int TimelineState::px(double atScaleOne) const
{
    return static_cast<int>(std::lround(atScaleOne * (m_scale > 0 ? m_scale : 1)));
}

void TimelineState::rebuildFlow()
{
    m_flow = placeLanes(m_tree, m_laneState, m_filter.shownLanes(m_tree), px(m_laneState.rowHeight));
}

FrameView TimelineState::frameView(PixelSize size) const
{
    FrameView view;
    view.visible = window.visible();
    view.size = size;
    view.headerWidth = std::min(px(headerWidth), size.width);
    view.scroll = scroll;
    view.indentWidth = px(14);
    view.selection = selection;
    return view;
}

bool TimelineState::holds(SliceRef slice) const
{
    return slice.isValid() && slice.report.value < m_workspace.size() &&
           slice.slice.value < m_workspace.report(slice.report).slices.size();
}

std::optional<TimeRange> TimelineState::rangeOf(SliceRef slice) const
{
    if (!holds(slice)) return std::nullopt;
    return m_alignment.map(slice.report)
        .alignedFromTrace(m_workspace.report(slice.report).slices.range(slice.slice));
}

void TimelineState::setCollapsed(const Lane& lane, bool collapsed)
{
    m_laneState.collapsed[lane.key] = collapsed;
    rebuildFlow();
}

} // namespace lockstep
