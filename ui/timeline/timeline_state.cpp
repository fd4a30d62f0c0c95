#include "ui/timeline/timeline_state.h"

#include <algorithm>
#include <cmath>

#include "core/align/collective_peers.h"
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
    m_previewed.clear();
    m_preview = {};
    selection.began = selection.ended = {};
    m_lods = std::move(lods);
    m_extent = m_alignment.extent(m_workspace);
    if (wasEmpty) {
        window = ViewWindow(m_extent);
    } else {
        window.setBounds(m_extent);
    }
    setLaneOptions(m_options);
    select(selection.slice);
}

void TimelineState::select(SliceRef slice)
{
    const CollectivePeers peers = holds(slice) ? peersOf(m_workspace, m_alignment, slice) : CollectivePeers();
    selection.slice = slice;
    selection.peers = peers.parts;
    selection.peersCause = peers.cause;
}

void TimelineState::previewShift(const std::vector<ReportId>& reports, Duration by)
{
    for (const ReportId report : m_previewed)
        m_alignment.maps[report.value].offset_ns -= m_preview.ns;
    m_previewed = reports;
    m_preview = by;
    for (const ReportId report : m_previewed)
        m_alignment.maps[report.value].offset_ns += m_preview.ns;
}

std::vector<ReportId> TimelineState::reportsUnder(uint32_t lane) const
{
    std::vector<ReportId> out;
    std::vector<uint32_t> pending{lane};
    while (!pending.empty()) {
        const uint32_t index = pending.back();
        pending.pop_back();
        if (index >= m_tree.size()) continue;
        const Lane& at = m_tree.lane(index);
        if (at.report.isValid()) out.push_back(at.report);
        for (const RowSource& source : at.sources)
            out.push_back(source.report);
        pending.insert(pending.end(), at.children.begin(), at.children.end());
    }
    std::ranges::sort(out);
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
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
