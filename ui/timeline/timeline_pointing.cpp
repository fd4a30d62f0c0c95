// What a TimelineView does with selections, clicks and the mouse above it.
#include <algorithm>

#include "core/base/text.h"
#include "core/lanes/lane_label.h"
#include "ui/timeline/hover_card.h"
#include "ui/timeline/ruler_bar.h"
#include "ui/timeline/timeline_canvas.h"
#include "ui/timeline/timeline_view.h"

namespace lockstep {

namespace {

} // namespace

void TimelineView::select(SliceRef slice, bool reveal)
{
    if (!m_state.scene().holds(slice)) slice = {};
    const bool isNew = slice != m_state.selection.slice;
    m_state.select(slice);
    if (slice.isValid() && reveal) revealSlice(slice);
    m_canvas->refresh();
    if (isNew) emit sliceSelected(slice);
}

void TimelineView::selectRange(std::optional<TimeRange> range, ReportKey from, ReportKey to)
{
    if (range && range->isEmpty()) range.reset();
    const Selection& selection = m_state.selection;
    if (range == selection.range && from == selection.began && to == selection.ended) return;
    m_state.selection.range = range;
    m_state.selection.began = from;
    m_state.selection.ended = to;
    refresh();
    emit rangeSelected(range);
}

void TimelineView::deselect()
{
    if (m_state.selection.range) return selectRange(std::nullopt);
    select({}, false);
}

uint32_t TimelineView::laneOfSlice(SliceRef slice) const
{
    if (!m_state.scene().holds(slice)) return kNoLane;
    return m_state.tree().laneOf(
        {slice.report, m_state.scene().shown.report(slice.report).trackOf(slice.slice)});
}

void TimelineView::revealSlice(SliceRef slice)
{
    const uint32_t lane = laneOfSlice(slice);
    if (lane == kNoLane) return;
    LaneState state = m_state.laneState();
    const bool isDeep = m_state.scene().shown.report(slice.report).slices.depth[slice.slice.value] > 0;
    for (uint32_t up = lane; up != kNoLane; up = m_state.tree().lane(up).parent) {
        const Lane& at = m_state.tree().lane(up);
        state.hidden.erase(at.key);
        if (up != lane || isDeep) state.collapsed[at.key] = false;
    }
    m_state.setLaneState(std::move(state));
    refreshLanes();
    const PixelSize size = m_canvas->deviceSize();
    const FrameView view = m_state.frameView(size);
    const auto place = placeOfSlice(m_state.scene(), view, slice);
    if (place && !place->isPinned) {
        const int top = std::min(m_state.flow().pinnedHeight, size.height / 2);
        if (place->y < top || place->y + place->height > size.height) {
            scrollTo(m_state.scroll + place->y - (top + size.height) / 2);
        }
    }
    const TimeRange range = *m_state.rangeOf(slice);
    const TimeRange visible = m_goal;
    if (range.begin >= visible.begin && range.end <= visible.end) return;
    if (range.length() >= visible.length())
        return zoomTo(
            {range.begin - Duration{range.length().ns / 10}, range.end + Duration{range.length().ns / 10}});
    const TraceTime middle = range.begin + Duration{range.length().ns / 2};
    panBy(middle - (visible.begin + Duration{visible.length().ns / 2}), true);
}

void TimelineView::click(const Hit& hit)
{
    setFocus(Qt::MouseFocusReason);
    if (hit.part == Hit::Part::nothing) return select({}, false);
    m_state.focusedLane = hit.lane;
    if (hit.part == Hit::Part::triangle) {
        setCollapsed(hit.lane, !m_state.laneState().isCollapsed(m_state.tree().lane(hit.lane)));
    } else if (hit.part != Hit::Part::header) {
        select(hit.slice, false);
    }
    m_canvas->refresh();
}

void TimelineView::doubleClick(const Hit& hit)
{
    if (hit.part == Hit::Part::header) {
        setCollapsed(hit.lane, !m_state.laneState().isCollapsed(m_state.tree().lane(hit.lane)));
    } else if (hit.slice.isValid()) {
        select(hit.slice, false);
        fitSelection();
    }
}

void TimelineView::hover(const Hit& hit, QPoint position)
{
    m_hoverHit = hit;
    m_hoverAt = position;
    const bool isInTime = hit.part != Hit::Part::nothing && !hit.isInHeader();
    const bool isRightOfHeaders = position.x() * devicePixelRatioF() >= m_state.px(m_state.headerWidth);
    const TraceTime at = m_canvas->timeAt(position.x());
    if (m_hoveredSlice != hit.slice) m_hoverText.clear();
    m_hoveredSlice = isInTime ? hit.slice : SliceRef();
    m_hoverTime = isRightOfHeaders ? std::optional(at) : std::nullopt;
    m_ruler->setCursorTime(m_hoverTime);
    m_card->showLines(linesFor(hit), position, theme(), m_state.scale() / devicePixelRatioF());
    emit hoverTimeChanged(m_hoverTime);
    emit sliceHovered(m_hoveredSlice, at);
}

void TimelineView::leaveHover()
{
    m_card->hide();
    m_hoverText.clear();
    m_ruler->setCursorTime(std::nullopt);
    const bool was = m_hoverTime.has_value();
    m_hoverTime.reset();
    m_hoveredSlice = {};
    if (was) emit hoverTimeChanged(std::nullopt);
    if (was) emit sliceHovered({}, {});
}

void TimelineView::setHoverText(SliceRef slice, const QString& arguments)
{
    if (slice != m_hoveredSlice || !m_card->isVisible()) return;
    m_hoverText = arguments;
    m_card->showLines(linesFor(m_hoverHit), m_hoverAt, theme(), m_state.scale() / devicePixelRatioF());
}

QStringList TimelineView::hoverLines() const
{
    return m_card->isVisible() ? m_card->lines() : QStringList();
}

QStringList TimelineView::linesFor(const Hit& hit) const
{
    if (hit.part == Hit::Part::nothing || hit.lane >= m_state.tree().size()) return {};
    const Lane& lane = m_state.tree().lane(hit.lane);
    const QString path = QString::fromUtf8(m_state.tree().pathOf(hit.lane));
    QStringList lines;
    switch (hit.part) {
    case Hit::Part::header:
    case Hit::Part::hatch:
        if (!lane.note.empty()) lines << path << QString::fromUtf8(lane.note);
        return lines;
    case Hit::Part::counter: {
        const RowSource source = lane.sources.front();
        const Report& report = m_state.scene().shown.report(source.report);
        const CounterTrack& counter = report.counterTracks[source.counter.value];
        lines << path << QString::fromUtf8(counterValueText(hit.value, report.strings.at(counter.unit)));
        return lines;
    }
    case Hit::Part::box:
    case Hit::Part::column:
        break;
    default:
        return lines;
    }
    const QString busy = tr("%1 % busy in this pixel").arg(qRound(hit.occupancy / 2.55));
    if (!hit.slice.isValid()) {
        lines << path << busy;
        return lines;
    }
    lines = linesForSlice(hit.slice);
    lines << path;
    if (hit.count > 1) lines << tr("longest of %1 slices here, %2").arg(hit.count).arg(busy);
    if (!m_hoverText.isEmpty()) lines << m_hoverText.split('\n');
    return lines;
}

QStringList TimelineView::linesForSlice(SliceRef ref) const
{
    const Report& report = m_state.scene().shown.report(ref.report);
    const TimeRange range = *m_state.rangeOf(ref);
    const bool isInstant = report.slices.isInstant(ref.slice);
    QString times = isInstant ? tr("instant") : QString::fromUtf8(durationText(range.length()));
    times += "   " + tr("start") + " " + QString::fromUtf8(durationText(range.begin - TraceTime{0}, 9));
    if (!m_state.scene().alignment.map(ref.report).isPlaced()) times += "   " + tr("(clock not placed)");
    QStringList lines;
    lines << QString::fromUtf8(report.nameOf(ref.slice)) << times;
    const QString distance = distanceText(ref);
    if (!distance.isEmpty()) lines << distance;
    if (const MemoryOp* const op = report.memoryOpOf(ref.slice);
        op != nullptr && op->size_bytes <= uint64_t(kAllTime.end.ns)) {
        const double seconds = static_cast<double>(std::max<int64_t>(1, range.length().ns)) * 1e-9;
        lines << QString::fromUtf8(byteText(static_cast<int64_t>(op->size_bytes))) + "   " +
                     QString::fromUtf8(
                         byteText(static_cast<int64_t>(static_cast<double>(op->size_bytes) / seconds))) +
                     "/s";
    }
    return lines;
}

void TimelineView::setCollapsed(uint32_t lane, bool collapsed)
{
    m_state.setCollapsed(m_state.tree().lane(lane), collapsed);
    refreshLanes();
    emit laneStateChanged();
}

void TimelineView::setSubtreeCollapsed(uint32_t root, bool collapsed)
{
    LaneState state = m_state.laneState();
    std::vector<uint32_t> pending{root};
    while (!pending.empty()) {
        const Lane& lane = m_state.tree().lane(pending.back());
        pending.pop_back();
        state.collapsed[lane.key] = collapsed;
        pending.insert(pending.end(), lane.children.begin(), lane.children.end());
    }
    setLaneState(state);
    emit laneStateChanged();
}

void TimelineView::setPinned(uint32_t lane, bool pinned)
{
    LaneState state = m_state.laneState();
    if (pinned) {
        state.pinned.insert(m_state.tree().lane(lane).key);
    } else {
        // What is pinned may be an ancestor.
        for (uint32_t up = lane; up != kNoLane; up = m_state.tree().lane(up).parent) {
            state.pinned.erase(m_state.tree().lane(up).key);
        }
    }
    setLaneState(state);
    emit laneStateChanged();
}

void TimelineView::setHidden(uint32_t lane, bool hidden)
{
    LaneState state = m_state.laneState();
    if (hidden) {
        state.hidden.insert(m_state.tree().lane(lane).key);
    } else {
        state.hidden.erase(m_state.tree().lane(lane).key);
    }
    setLaneState(state);
    emit laneStateChanged();
}

} // namespace lockstep
