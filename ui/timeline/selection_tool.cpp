// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/selection_tool.h"

#include <QMouseEvent>

#include "core/base/text.h"
#include "core/search/related_slices.h"
#include "core/timeline/lane_kinds/memory_lane.h"
#include "core/timeline/memory_pointing.h"
#include "ui/timeline/lane_tool.h"
#include "ui/timeline/navigation_tool.h"
#include "ui/timeline/timeline_accessible.h"
#include "ui/timeline/timeline_canvas.h"
#include "ui/window/notices.h"
#include "ui/window/view_state.h"

namespace lockstep {

namespace {

// Returns the next slice in the row that is not hidden.
SliceRef nextShown(const TimelineState& state, SliceRef slice, SliceRef (*next)(const Scene&, SliceRef))
{
    do
        slice = next(state.scene(), slice);
    while (slice.isValid() && state.hidden() != nullptr && state.hidden()->has(state.scene(), slice));
    return slice;
}

} // namespace

SelectionTool::SelectionTool(TimelineContext& context, NavigationTool& navigation, LaneTool& lanes)
    : m_context(context), m_state(context.state), m_view(context.view), m_navigation(navigation),
      m_lanes(lanes)
{
    connectView();
    addCommands();
}

void SelectionTool::connectView()
{
    connect(&m_view, &ViewState::sliceChanged, this, [this] {
        const SliceRef slice = m_view.slice();
        // In a comparison, the slice may belong to the other pane.
        if (slice.isValid() && !m_context.half && !m_state.scene().holds(slice)) return m_view.setSlice({});
        m_state.findPeers();
        m_context.canvas->refresh();
        announceFocus(m_context.owner);
    });
    connect(&m_view, &ViewState::blockChanged, this, [this] {
        if (m_view.block().isValid() && !memoryPlaceOf(m_state.scene(), m_view.block()))
            return m_view.setBlock({});
        m_context.canvas->refresh();
    });
    connect(&m_view, &ViewState::areasChanged, this, [this] { m_context.refresh(); });
    connect(&m_view, &ViewState::rangeChanged, this, [this] { m_context.refresh(); });
    connect(&m_view, &ViewState::revealRequested, this, [this](SliceRef slice, bool isZoomedTo) {
        if (m_context.half && !m_state.scene().holds(slice)) return; // the other pane may have the slice
        select(slice, true);
        if (isZoomedTo) m_navigation.fitSelection();
    });
}

void SelectionTool::addCommands()
{
    using Id = CommandId;
    on(Id::previousSlice, [this] { step(false); });
    on(Id::nextSlice, [this] { step(true); });
    on(Id::previousSameName, [this] { stepToSameName(sliceBefore); });
    on(Id::nextSameName, [this] { stepToSameName(sliceAfter); });
    on(Id::toCause, [this] { followFlow(firstCause); });
    on(Id::toEffect, [this] { followFlow(firstEffect); });
    on(Id::cancel, [this] { return deselect(); });
}

void SelectionTool::select(SliceRef slice, bool isRevealed)
{
    if (!m_state.scene().holds(slice)) slice = {};
    if (slice.isValid() && isRevealed) reveal(slice);
    if (!slice.isValid()) m_view.setBlock({});
    m_view.setSlice(slice);
}

void SelectionTool::selectSeveral(SliceList slices)
{
    const Selection& selection = m_view.selection();
    m_view.setAreas(selection.areas, std::move(slices), selection.began, selection.ended);
}

void SelectionTool::reveal(SliceRef slice)
{
    const uint32_t lane = m_lanes.laneOf(slice);
    if (lane == kNoLane) return;
    if (m_state.hidden() != nullptr && m_state.hidden()->has(m_state.scene(), slice))
        m_context.notices.post(tr(
            "The selected slice is hidden because of its name. Click the chip above the lanes to show it."));
    LaneState state = m_state.laneState();
    state.reveal(m_state.tree(), lane,
                 m_state.scene().shown.report(slice.report).slices.depth[slice.slice.value] > 0);
    m_state.setLaneState(std::move(state));
    m_context.refreshLanes();
    m_context.scrollToSlice(slice, lane);
    const TimeRange range = *rangeOf(m_state.scene(), slice);
    m_state.reachTo(range);
    const TimeRange visible = m_view.visible();
    if (range.begin >= visible.begin && range.end <= visible.end) return;
    const Duration margin{range.length().ns / 10};
    if (range.length() >= visible.length())
        return m_navigation.zoomTo({range.begin - margin, range.end + margin});
    m_navigation.centerOn(range.begin + Duration{range.length().ns / 2});
}

bool SelectionTool::click(const Hit& hit)
{
    if (!hit.gap.isEmpty()) {
        m_navigation.editGap(hit.gap, true);
        return true;
    }
    if (!hit.isInHeader()) selectSeveral(nullptr);
    if (hit.part == Hit::Part::nothing) {
        select({}, false);
        return true;
    }
    m_state.focusedLane = hit.lane;
    m_state.isLaneFound = false;
    if (m_lanes.activate(hit)) return true;
    if (hit.part == Hit::Part::triangle) {
        m_lanes.toggleFold(hit.lane);
    } else if (!selectBlock(hit) && hit.part != Hit::Part::header) {
        select(hit.slice, false);
    }
    m_context.canvas->refresh();
    return true;
}

bool SelectionTool::selectBlock(const Hit& hit)
{
    const BlockRef block = blockAt(m_state.scene(), m_context.canvas->displayList(), hit);
    if (block.isValid()) m_view.setBlock(block);
    return block.isValid();
}

bool SelectionTool::doubleClick(const QMouseEvent& event)
{
    const Hit hit = m_context.canvas->hitAt(event.position());
    if (hit.part == Hit::Part::header) {
        m_lanes.toggleFold(hit.lane);
    } else if (hit.slice.isValid()) {
        select(hit.slice, false);
        m_navigation.fitSelection();
    } else if (selectBlock(hit)) {
        m_navigation.fitSelection();
    }
    return true;
}

void SelectionTool::step(bool isForward)
{
    const SliceRef selected = m_view.slice();
    if (!m_state.scene().holds(selected)) return;
    const SliceRef next = nextShown(m_state, selected, isForward ? sliceAfter : sliceBefore);
    if (next.isValid()) select(next, true);
}

void SelectionTool::stepToSameName(SliceRef (*next)(const Scene&, SliceRef))
{
    constexpr int kMaxSteps = 1'000'000; // takes well below a second
    Notices& notices = m_context.notices;
    const SliceRef selected = m_view.slice();
    if (!m_state.scene().holds(selected)) return notices.post(tr("No slice selected. Click one first."));
    const Workspace& reports = m_state.scene().shown;
    const auto nameOf = [&](SliceRef slice) { return reports.report(slice.report).nameOf(slice.slice); };
    SliceRef slice = selected;
    for (int steps = 0; steps < kMaxSteps; ++steps) {
        slice = nextShown(m_state, slice, next);
        if (!slice.isValid()) return notices.post(tr("No other slice with this name in that direction"));
        if (nameOf(slice) == nameOf(selected)) return select(slice, true);
    }
    notices.post(tr("No slice with this name among the next %1").arg(groupedText(kMaxSteps).c_str()));
}

void SelectionTool::followFlow(SliceRef (*next)(const Workspace&, SliceRef))
{
    const SliceRef selected = m_view.slice();
    if (!m_state.scene().holds(selected)) return;
    const SliceRef linked = next(m_state.scene().shown, selected);
    if (linked.isValid()) select(linked, true);
}

bool SelectionTool::deselect()
{
    const Selection& selection = m_view.selection();
    if (selection.range || !selection.areas.empty()) {
        m_view.setRange(std::nullopt);
    } else if (selection.slices != nullptr) {
        m_view.setAreas({}, nullptr);
    } else if (selection.slice.isValid() || selection.block.isValid()) {
        select({}, false);
    } else {
        return false;
    }
    return true;
}

} // namespace lockstep
