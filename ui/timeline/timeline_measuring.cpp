// SPDX-License-Identifier: Apache-2.0
// TimelineView: text that states distances, and shifting reports along the time axis.
#include "core/base/text.h"
#include "core/timeline/measure.h"
#include "ui/timeline/hover_card.h"
#include "ui/timeline/timeline_canvas.h"
#include "ui/timeline/timeline_view.h"
#include "ui/window/view_state.h"

namespace lockstep {

namespace {

QString signedText(Duration by)
{
    return (by.ns < 0 ? "\u2212" : "+") + QString::fromUtf8(durationText({std::abs(by.ns)}));
}

} // namespace

// Returns the distance from the start of the selected slice to the start of this one: "12.3 µs ± 4.1 µs after
// the start of the selected slice".
QString TimelineView::distanceText(SliceRef slice) const
{
    const SliceRef selected = m_view.slice();
    if (!selected.isValid() || selected == slice || !m_state.scene().holds(selected)) return {};
    const Duration since = m_state.rangeOf(slice)->begin - m_state.rangeOf(selected)->begin;
    const Measure measure =
        measureBetween(m_state.scene().alignment, selected.report, slice.report, {std::abs(since.ns)});
    const QString distance = (since.ns < 0 ? tr("%1 before the start of the selected slice")
                                           : tr("%1 after the start of the selected slice"))
                                 .arg(QString::fromUtf8(measure.text));
    return measure.isDecided() ? distance : distance + ", " + QString::fromUtf8(measure.why);
}

void TimelineView::dragLane(uint32_t lane, Duration by, QPoint position, bool isFinal)
{
    setFocus(Qt::MouseFocusReason);
    const std::vector<ReportKey> reports =
        lane == kNoLane ? std::vector<ReportKey>() : m_state.reportsUnder(lane);
    if (reports.empty()) return;
    m_state.previewShift(reports, by);
    refresh();
    if (!isFinal) {
        const QStringList lines{QString::fromUtf8(m_state.tree().pathOf(lane)),
                                tr("Moved by %1").arg(signedText(by)),
                                tr("Recorded timestamps stay unchanged. Press Esc to cancel.")};
        m_card->showLines(lines, position, theme(), m_state.scale() / devicePixelRatioF());
        return;
    }
    m_card->hide();
    if (by.ns == 0) return cancelShift();
    emit shiftRequested(reports, by);
}

void TimelineView::cancelShift()
{
    m_state.previewShift({}, {});
    m_card->hide();
    refresh();
}

} // namespace lockstep
