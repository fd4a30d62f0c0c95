// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/hover_tool.h"

#include <QMouseEvent>

#include "core/timeline/lane_kind.h"
#include "core/timeline/measure.h"
#include "ui/timeline/hover_card.h"
#include "ui/timeline/ruler_bar.h"
#include "ui/timeline/timeline_canvas.h"
#include "ui/window/view_state.h"

namespace lockstep {

HoverTool::HoverTool(TimelineContext& context) : m_context(context), m_state(context.state) {}

ReportKey HoverTool::report() const
{
    if (m_hit.part == Hit::Part::nothing || m_hit.isInHeader()) return {};
    if (m_hit.slice.isValid()) return m_hit.slice.report;
    if (m_hit.track.report.isValid()) return m_hit.track.report;
    return m_hit.lane < m_state.tree().size() ? m_state.tree().lane(m_hit.lane).report : ReportKey();
}

void HoverTool::hover(const QMouseEvent& event)
{
    m_at = event.position().toPoint();
    m_hit = m_context.canvas->hitAt(event.position());
    const bool isInTime = m_hit.part != Hit::Part::nothing && !m_hit.isInHeader();
    const bool isRightOfHeaders =
        m_at.x() * m_context.owner.devicePixelRatioF() >= m_state.px(m_state.headerWidth);
    const TraceTime at = m_context.canvas->timeAt(m_at.x());
    if (m_slice != m_hit.slice) m_text.clear();
    m_slice = isInTime ? m_hit.slice : SliceRef();
    m_state.cursor = isRightOfHeaders ? std::optional(at) : std::nullopt;
    m_context.ruler->setCursorTime(m_state.cursor);
    m_context.canvas->refreshLegends();
    m_context.showCard(linesFor(m_hit), m_at);
    m_context.view.setCursor(m_state.cursor);
    emit sliceHovered(m_slice, at);
}

void HoverTool::leave()
{
    m_context.card->hide();
    m_text.clear();
    m_context.ruler->setCursorTime(std::nullopt);
    const bool was = std::exchange(m_state.cursor, std::nullopt).has_value();
    m_context.canvas->refreshLegends();
    m_slice = {};
    if (!was) return;
    m_context.view.setCursor(std::nullopt);
    emit sliceHovered({}, {});
}

void HoverTool::setText(SliceRef slice, const QString& arguments)
{
    if (slice != m_slice || !m_context.card->isVisible()) return;
    m_text = arguments;
    m_context.showCard(linesFor(m_hit), m_at);
}

QStringList HoverTool::lines() const
{
    return m_context.card->isVisible() ? m_context.card->lines() : QStringList();
}

QStringList HoverTool::linesFor(const Hit& hit) const
{
    if (!hit.gap.isEmpty())
        return {tr("%1 without slices").arg(QString::fromStdString(gapText(hit.gap.length()))),
                tr("Collapsed. Click to expand.")};
    if (hit.part == Hit::Part::nothing || hit.lane >= m_state.tree().size()) return {};
    QStringList lines;
    const Lane& lane = m_state.tree().lane(hit.lane);
    if (hit.part == Hit::Part::header && !lane.note.empty())
        lines << QString::fromUtf8(m_state.tree().pathOf(hit.lane)) << QString::fromUtf8(lane.note);
    if (hit.isInHeader() || hit.kind == nullptr) return lines;
    for (const std::string& line : hit.kind->hover(m_state.scene(), m_context.canvas->displayList(), hit))
        lines << QString::fromStdString(line);
    if (!hit.slice.isValid() || lines.size() < 2) return lines;
    const QString distance = distanceText(hit.slice);
    if (!distance.isEmpty()) lines.insert(2, distance);
    if (!m_text.isEmpty()) lines << m_text.split('\n');
    return lines;
}

// Returns the distance from the start of the selected slice to the start of this one: "12.3 µs ± 4.1 µs after
// the start of the selected slice".
QString HoverTool::distanceText(SliceRef slice) const
{
    const SliceRef selected = m_context.view.slice();
    if (!selected.isValid() || selected == slice || !m_state.scene().holds(selected)) return {};
    const Duration since = rangeOf(m_state.scene(), slice)->begin - rangeOf(m_state.scene(), selected)->begin;
    const Measure measure =
        measureBetween(m_state.scene().alignment, selected.report, slice.report, {std::abs(since.ns)});
    const QString distance = (since.ns < 0 ? tr("%1 before the start of the selected slice")
                                           : tr("%1 after the start of the selected slice"))
                                 .arg(QString::fromUtf8(measure.text));
    return measure.isDecided() ? distance : distance + ", " + QString::fromUtf8(measure.why);
}

} // namespace lockstep
