// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/area_tool.h"

#include <algorithm>

#include <QApplication>
#include <QMouseEvent>

#include "ui/timeline/hover_tool.h"
#include "ui/timeline/selection_tool.h"
#include "ui/timeline/timeline_canvas.h"
#include "ui/window/view_state.h"

namespace lockstep {

AreaTool::AreaTool(TimelineContext& context, SelectionTool& selection, HoverTool& hover)
    : m_context(context), m_view(context.view), m_selection(selection), m_hover(hover)
{
    on(CommandId::cancel, [this] { return cancel(); });
}

bool AreaTool::press(const QMouseEvent& event)
{
    if (event.button() != Qt::LeftButton || (event.modifiers() & Qt::ShiftModifier)) return false;
    m_isArea = false;
    m_isAdding = (event.modifiers() & Qt::ControlModifier) != 0;
    m_pressedAt = event.position();
    m_lane = m_context.canvas->laneKeyAt(m_pressedAt);
    m_report = reportAt(m_pressedAt);
    return true;
}

void AreaTool::move(const QMouseEvent& event)
{
    const double moved = std::abs(event.position().x() - m_pressedAt.x());
    if (!m_isArea && moved >= QApplication::startDragDistance()) {
        m_isArea = true;
        m_hover.leave();
    }
    if (m_isArea) drag(event.position(), false);
}

bool AreaTool::release(const QMouseEvent& event)
{
    if (m_isArea) {
        drag(event.position(), true);
        return false;
    }
    const Hit hit = m_context.canvas->hitAt(event.position());
    if (!m_isAdding || hit.isInHeader()) return true;
    m_context.takeFocus();
    if (hit.slice.isValid()) togglePick(hit.slice);
    return false;
}

void AreaTool::drag(QPointF at, bool isFinal)
{
    m_context.takeFocus();
    if (!m_before) m_before = m_view.selection();
    TimelineCanvas& canvas = *m_context.canvas;
    const TraceTime from = canvas.timeAt(m_pressedAt.x()), to = canvas.timeAt(at.x());
    const ReportKey ended = reportAt(at);
    Area area{{std::min(from, to), std::max(from, to)}, lanesBetween(m_lane, canvas.laneKeyAt(at))};
    std::vector<Area> areas = m_isAdding ? m_before->areas : std::vector<Area>();
    const SliceList slices = m_isAdding ? m_before->slices : nullptr;
    const bool isEmpty = area.range.isEmpty() || area.lanes.empty();
    if (!isEmpty) areas.push_back(std::move(area));
    if (areas.empty()) {
        m_view.setRange(std::nullopt);
    } else {
        const bool isForward = from <= to;
        m_view.setAreas(std::move(areas), slices, isForward ? m_report : ended, isForward ? ended : m_report);
    }
    if (!isFinal) return;
    m_before.reset();
    if (!isEmpty) m_view.finishArea();
}

bool AreaTool::cancel()
{
    if (!m_isArea || !endDrag() || !m_before) return false;
    m_view.setSelection(*std::exchange(m_before, std::nullopt));
    return true;
}

void AreaTool::togglePick(SliceRef slice)
{
    std::vector<SliceRef> slices;
    if (m_view.slices() != nullptr) {
        slices = *m_view.slices();
    } else if (m_context.state.scene().holds(m_view.slice())) {
        slices = {m_view.slice()};
    }
    if (std::erase(slices, slice) == 0) slices.push_back(slice);
    const SliceRef inFocus = slices.empty() ? SliceRef() : slices.back();
    const bool areSeveral = slices.size() > 1;
    m_selection.selectSeveral(areSeveral ? sliceListOf(std::move(slices)) : nullptr);
    m_selection.select(inFocus, false);
    m_view.finishArea();
}

// A lane may show several reports of the same process, so the row determines the report.
ReportKey AreaTool::reportAt(QPointF position) const
{
    const Hit hit = m_context.canvas->hitAt(position);
    if (hit.part == Hit::Part::nothing) return {};
    if (hit.slice.isValid()) return hit.slice.report;
    if (hit.track.report.isValid()) return hit.track.report;
    return m_context.state.tree().lane(hit.lane).report;
}

std::vector<AreaLane> AreaTool::lanesBetween(const std::string& first, const std::string& last) const
{
    const TimelineState& state = m_context.state;
    std::vector<PlacedLane> shown = state.flow().pinned;
    shown.insert(shown.end(), state.flow().scrolling.begin(), state.flow().scrolling.end());
    const auto indexOf = [&](const std::string& key) {
        return std::ranges::find(shown, state.tree().find(key), &PlacedLane::lane);
    };
    auto from = indexOf(first), to = indexOf(last);
    if (from == shown.end() || to == shown.end()) return {};
    if (to < from) std::swap(from, to);
    std::vector<AreaLane> lanes;
    for (auto at = from; at <= to; ++at)
        lanes.push_back({state.tree().lane(at->lane).key, at->isCollapsed});
    return lanes;
}

} // namespace lockstep
