// SPDX-License-Identifier: Apache-2.0
// TimelineView: collapsing and expanding gaps of the time axis, by a click on the band or on the chip in the
// ruler, by a key, or by going to a time in a gap; and the choice of the ruler's time.
#include <algorithm>

#include <QVariantAnimation>

#include "ui/timeline/minimap_bar.h"
#include "ui/timeline/timeline_canvas.h"
#include "ui/timeline/timeline_view.h"
#include "ui/window/notices.h"
#include "ui/window/view_state.h"

namespace lockstep {

void TimelineView::centreOn(TraceTime at)
{
    ViewWindow window = goalWindow();
    window.centreOn(at);
    moveTo(window.visible(), true);
}

ViewWindow TimelineView::goalWindow() const
{
    ViewWindow window = m_state.window;
    window.show(m_view.visible());
    return window;
}

void TimelineView::setGapRule(const GapRule& rule)
{
    m_gapRule = rule;
    if (!m_half) m_state.setGapRule(rule);
    m_minimap->refresh();
    refresh();
}

void TimelineView::setOpenedGaps(std::vector<TimeRange> gaps)
{
    m_state.window.setOpened(std::move(gaps));
    m_minimap->refresh();
    settle(m_state.window.visible());
}

void TimelineView::setRulerTime(const RulerTime& time)
{
    m_ruler->setTime(time);
}

void TimelineView::chooseRulerTime(const RulerTime& time)
{
    m_ruler->setTime(time);
    emit rulerTimeChanged(time);
    const auto file = [this](ReportKey report) {
        const Workspace& shown = m_state.scene().shown;
        if (shown.isEmpty()) return QString();
        const ReportKey key = shown.has(report) ? report : shown.keys().front();
        return QString::fromStdString(shown.report(key).provenance.path.filename().string());
    };
    m_notices.post(time.from == RulerTime::From::utc ? tr("Time axis: time of day (UTC)")
                   : time.from == RulerTime::From::report
                       ? tr("Time axis: clock of %1").arg(file(time.report))
                       : tr("Time axis: time since %1").arg(zeroText(m_state.scene())));
}

void TimelineView::setGapOpen(TimeRange gap, bool isOpen)
{
    ViewWindow& window = m_state.window;
    if (m_animation->state() == QAbstractAnimation::Running) m_animation->stop();
    // A view that is entirely within the gap would expand it again, so some time on both sides is shown.
    constexpr Duration kGapMargin{1'000'000'000};
    TimeRange goal = m_view.visible();
    const bool fillsView = gap.begin <= goal.begin && goal.end <= gap.end;
    if (!isOpen && fillsView) {
        rememberPlace();
        goal = {gap.begin - kGapMargin, gap.end + kGapMargin};
    }
    window.show(goal);
    window.setOpen(gap, isOpen);
    m_minimap->refresh();
    settle(window.visible());
    const QString length = QString::fromStdString(gapText(gap.length()));
    m_notices.post(isOpen ? tr("Gap of %1 expanded. Press B to collapse it.").arg(length)
                          : tr("Gap of %1 collapsed").arg(length));
}

void TimelineView::editGap(TimeRange gap, bool isOpen)
{
    setGapOpen(gap, isOpen);
    emit gapsEdited();
}

// Toggles the gap under the mouse, otherwise all gaps in view.
void TimelineView::toggleGaps()
{
    const ViewWindow& window = m_state.window;
    std::vector<TimeRange> inSight;
    for (const TimeRange& gap : window.gaps()) {
        if (m_state.cursor && gap.contains(*m_state.cursor)) return editGap(gap, !window.isOpen(gap));
        if (gap.overlaps(m_view.visible())) inSight.push_back(gap);
    }
    if (inSight.empty()) return m_notices.post(tr("No gap in view"));
    const auto isFolded = [&](const TimeRange& gap) { return !window.isOpen(gap); };
    const bool opens = std::ranges::any_of(inSight, isFolded);
    for (const TimeRange& gap : inSight) {
        if (isFolded(gap) == opens) setGapOpen(gap, opens);
    }
    emit gapsEdited();
    if (inSight.size() > 1)
        m_notices.post(opens ? tr("%n gap(s) expanded", nullptr, static_cast<int>(inSight.size()))
                             : tr("%n gap(s) collapsed", nullptr, static_cast<int>(inSight.size())));
}

void TimelineView::openGapsOf(TimeRange place)
{
    for (const TraceTime at : {place.begin, place.end}) {
        const TimeRange* const gap = m_state.window.folds().at(at);
        if (gap != nullptr) setGapOpen(TimeRange(*gap), true);
    }
}

} // namespace lockstep
