// SPDX-License-Identifier: Apache-2.0
// How gaps of a TimelineView's axis are folded and opened: by a click on the band or on the word in the
// ruler, by a key, and by whoever goes to what lies in one; and what its ruler counts.
#include <algorithm>

#include <QVariantAnimation>

#include "ui/timeline/minimap_bar.h"
#include "ui/timeline/timeline_canvas.h"
#include "ui/timeline/timeline_view.h"

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
    window.show(m_goal);
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
    m_goal = m_state.window.visible();
    m_minimap->refresh();
    settle();
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
    emit told(time.from == RulerTime::From::utc ? tr("The ruler shows the time of day, UTC")
              : time.from == RulerTime::From::report
                  ? tr("The ruler counts as the clock of %1 does").arg(file(time.report))
                  : tr("The ruler counts from 0: %1").arg(zeroText(m_state.scene())));
}

void TimelineView::setGapOpen(TimeRange gap, bool isOpen)
{
    ViewWindow& window = m_state.window;
    if (m_animation->state() == QAbstractAnimation::Running) m_animation->stop();
    // What is seen within it alone would open it at once: a little of both sides comes into sight.
    constexpr Duration kBeside{1'000'000'000};
    const bool fillsView = gap.begin <= m_goal.begin && m_goal.end <= gap.end;
    if (!isOpen && fillsView) {
        rememberPlace();
        m_goal = {gap.begin - kBeside, gap.end + kBeside};
    }
    window.show(m_goal);
    window.setOpen(gap, isOpen);
    m_goal = window.visible();
    m_minimap->refresh();
    settle();
    const QString length = QString::fromStdString(gapText(gap.length()));
    emit told(isOpen ? tr("%1 without slices are shown; B folds them").arg(length)
                     : tr("%1 without slices are folded").arg(length));
}

// That under the mouse, else all in sight.
void TimelineView::toggleGaps()
{
    const ViewWindow& window = m_state.window;
    std::vector<TimeRange> inSight;
    for (const TimeRange& gap : window.gaps()) {
        if (m_hoverTime && gap.contains(*m_hoverTime)) return setGapOpen(gap, !window.isOpen(gap));
        if (gap.overlaps(m_goal)) inSight.push_back(gap);
    }
    if (inSight.empty()) return emit told(tr("No gap is in sight"));
    const auto isFolded = [&](const TimeRange& gap) { return !window.isOpen(gap); };
    const bool opens = std::ranges::any_of(inSight, isFolded);
    for (const TimeRange& gap : inSight) {
        if (isFolded(gap) == opens) setGapOpen(gap, opens);
    }
    if (inSight.size() > 1)
        emit told(opens ? tr("%1 gaps are shown").arg(inSight.size())
                        : tr("%1 gaps are folded").arg(inSight.size()));
}

void TimelineView::openGapsOf(TimeRange place)
{
    for (const TraceTime at : {place.begin, place.end}) {
        const TimeRange* const gap = m_state.window.folds().at(at);
        if (gap != nullptr) setGapOpen(TimeRange(*gap), true);
    }
}

} // namespace lockstep
