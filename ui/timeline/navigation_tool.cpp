// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/navigation_tool.h"

#include <algorithm>
#include <cmath>

#include <QMouseEvent>
#include <QPainter>
#include <QScopedValueRollback>
#include <QStyle>
#include <QVariantAnimation>

#include "ui/timeline/hover_card.h"
#include "ui/timeline/minimap_bar.h"
#include "ui/timeline/timeline_canvas.h"
#include "ui/window/notices.h"
#include "ui/window/view_state.h"

namespace lockstep {

namespace {

constexpr int kAnimation_ms = 120;
constexpr int kZoomPause_ms = 700; // zooms within this time of each other are one step of the zoom history
constexpr int kFlash_ms = 1'500;
constexpr double kKeyZoom = 0.7;
constexpr double kKeyPan = 0.15; // fraction of the visible length

TraceTime middleOf(TimeRange range)
{
    return range.begin + Duration{range.length().ns / 2};
}

} // namespace

NavigationTool::NavigationTool(TimelineContext& context)
    : m_context(context), m_state(context.state), m_view(context.view),
      m_animation(new QVariantAnimation(this))
{
    m_animation->setStartValue(0.0);
    m_animation->setEndValue(1.0);
    m_animation->setDuration(kAnimation_ms);
    m_animation->setEasingCurve(QEasingCurve::OutCubic);
    connect(m_animation, &QVariantAnimation::valueChanged, this, [this](const QVariant& value) {
        m_state.window.show(m_state.window.between(m_from, m_view.visible(), value.toDouble()));
        m_context.refresh();
        emit framed(m_state.window.visible());
    });
    connect(m_animation, &QVariantAnimation::finished, this, [this] { settle(m_view.visible()); });
    m_flashEnd.setSingleShot(true);
    connect(&m_flashEnd, &QTimer::timeout, this, [this] {
        m_state.flash.reset();
        m_context.canvas->update();
    });
    const RulerBar* const ruler = context.ruler;
    connect(ruler, &RulerBar::rangeDragged, this, [this](TimeRange range) { m_view.setRange(range); });
    connect(ruler, &RulerBar::gapPressed, this, &NavigationTool::editGap);
    connect(ruler, &RulerBar::zoomRequested, this, &NavigationTool::zoomAt);
    connect(ruler, &RulerBar::timeChosen, this, &NavigationTool::chooseRulerTime);
    connect(context.minimap, &MinimapBar::panRequested, this, [this](Duration by) { panBy(by); });
    connect(&m_view, &ViewState::visibleChanged, this, [this] {
        if (!m_movesView) zoomTo(m_view.visible());
    });
    setTargetToShown();
    addCommands();
}

void NavigationTool::addCommands()
{
    using Id = CommandId;
    on(Id::zoomIn, [this] { zoomAt(zoomCenter(), kKeyZoom); });
    on(Id::zoomOut, [this] { zoomAt(zoomCenter(), 1 / kKeyZoom); });
    on(Id::panLeft, [this] { panBy(-keyPan(), true); });
    on(Id::panRight, [this] { panBy(keyPan(), true); });
    on(Id::fitSelection, [this] { fitSelection(); });
    on(Id::fitAll, [this] { fitAll(); });
    on(Id::toggleGaps, [this] { toggleGaps(); });
    on(Id::cycleRulerTime, [this] { chooseRulerTime(m_context.ruler->nextTime()); });
    on(Id::undoZoom, [this] { stepInHistory(&ZoomHistory::undo); });
    on(Id::redoZoom, [this] { stepInHistory(&ZoomHistory::redo); });
}

void NavigationTool::stepInHistory(std::optional<TimeRange> (ZoomHistory::*step)(TimeRange))
{
    m_state.window.show(m_view.visible());
    const std::optional<TimeRange> range = (m_state.zoomHistory.*step)(m_state.window.visible());
    if (!range) return;
    m_state.window.show(*range);
    moveTo(m_state.window.visible(), false);
}

void NavigationTool::setTarget(TimeRange target)
{
    const QScopedValueRollback moves(m_movesView, true);
    m_view.setVisible(target);
}

void NavigationTool::setTargetToShown()
{
    setTarget(m_state.window.visible());
}

void NavigationTool::finishAnimation()
{
    if (m_animation->state() != QAbstractAnimation::Running) return;
    m_animation->stop();
    m_state.window.show(m_view.visible());
}

void NavigationTool::showAtOnce(TimeRange aligned)
{
    m_animation->stop();
    ViewWindow window = m_state.window;
    window.show(aligned);
    settle(window.visible());
}

void NavigationTool::glideTo(TimeRange aligned)
{
    m_animation->stop();
    m_state.window.show(aligned);
    m_context.refresh();
    emit framed(m_state.window.visible());
    m_view.setMoving(true);
    setTargetToShown();
}

bool NavigationTool::canGlide() const
{
    const QWidget& owner = m_context.owner;
    return !m_reducedMotion && owner.isVisible() && !owner.window()->isMinimized() &&
           owner.style()->styleHint(QStyle::SH_Widget_Animate, nullptr, &owner) != 0;
}

void NavigationTool::moveTo(TimeRange target, bool animate)
{
    emit navigated();
    ViewWindow window = m_state.window;
    window.show(target);
    m_animation->stop();
    if (!animate || !canGlide()) return settle(window.visible());
    m_from = m_state.window.visible();
    m_view.setMoving(true);
    setTarget(window.visible());
    m_animation->start();
}

void NavigationTool::settle(TimeRange shown)
{
    m_state.window.show(shown);
    m_context.refresh();
    m_context.card->hide();
    emit framed(shown);
    setTarget(shown);
    m_view.setMoving(false);
}

void NavigationTool::rememberView()
{
    m_lastZoom.restart();
    m_state.zoomHistory.remember(m_state.window.visible());
}

void NavigationTool::zoomTo(TimeRange aligned)
{
    rememberView();
    moveTo(aligned, true);
}

void NavigationTool::zoomAround(TimeRange range, int64_t margin_ns)
{
    zoomTo({range.begin - Duration{margin_ns}, range.end + Duration{margin_ns}});
}

void NavigationTool::zoomAt(TraceTime at, double factor)
{
    if (!m_lastZoom.isValid() || m_lastZoom.elapsed() > kZoomPause_ms) rememberView();
    m_lastZoom.restart();
    ViewWindow window = targetWindow();
    window.zoomAt(at, factor);
    moveTo(window.visible(), true);
}

void NavigationTool::panBy(Duration by, bool animate)
{
    ViewWindow window = targetWindow();
    window.panBy(by);
    moveTo(window.visible(), animate);
}

Duration NavigationTool::keyPan() const
{
    const auto length = static_cast<double>(targetWindow().lengthOnAxis().ns);
    return Duration{static_cast<int64_t>(length * kKeyPan)};
}

void NavigationTool::centerOn(TraceTime at)
{
    ViewWindow window = targetWindow();
    window.centerOn(at);
    moveTo(window.visible(), true);
}

ViewWindow NavigationTool::targetWindow() const
{
    ViewWindow window = m_state.window;
    window.show(m_view.visible());
    return window;
}

TraceTime NavigationTool::zoomCenter() const
{
    if (m_state.cursor && m_view.visible().contains(*m_state.cursor)) return *m_state.cursor;
    const TraceTime middle = targetWindow().middle();
    const auto selected = rangeOf(m_state.scene(), m_view.slice());
    if (!selected) return middle;
    const TraceTime center = middleOf(*selected);
    return m_view.visible().contains(center) ? center : middle;
}

void NavigationTool::fitAll()
{
    if (m_context.half && m_view.visible() != m_context.half->whole) return zoomTo(m_context.half->whole);
    m_state.undoReachTo();
    zoomTo(m_state.window.bounds());
}

void NavigationTool::fitSelection()
{
    std::optional<TimeRange> range = m_view.range();
    if (!range) range = selectedLife(m_state);
    if (!range) return fitAll();
    const Duration margin{range->length().ns / 10};
    ViewWindow window = m_state.window;
    window.show({range->begin - margin, range->end + margin});
    if (window.visible() == m_view.visible()) return fitAll();
    zoomTo(window.visible());
}

void NavigationTool::zoomToSelected()
{
    const auto life = selectedLife(m_state);
    if (life) zoomAround(*life, life->length().ns / 10 + 1);
}

// Marks the position with a line. If the range is in view and wide enough to be seen, the view does not move.
void NavigationTool::showPosition(TimeRange aligned, bool isZoomedTo)
{
    const TimeRange visible = m_view.visible();
    m_state.flash = middleOf(aligned);
    m_flashEnd.start(kFlash_ms);
    m_context.canvas->update();
    for (const TraceTime at : {aligned.begin, aligned.end}) {
        const TimeRange* const gap = m_state.window.folds().at(at);
        if (gap != nullptr) setGapOpen(TimeRange(*gap), true);
    }
    if (isZoomedTo)
        return zoomAround(aligned,
                          (aligned.isEmpty() ? visible.length().ns / 40 : aligned.length().ns / 10) + 1);
    const bool isInView = aligned.begin >= visible.begin && aligned.end <= visible.end;
    const bool isWideEnough = aligned.isEmpty() || aligned.length().ns > visible.length().ns / 50;
    if (isInView && isWideEnough) return;
    if (aligned.length().ns > visible.length().ns || isInView)
        return zoomAround(aligned, aligned.length().ns / 10 + 1);
    ViewWindow window = targetWindow();
    window.centerOn(middleOf(aligned));
    zoomTo(window.visible());
}

void NavigationTool::setGapRule(const GapRule& rule)
{
    m_gapRule = rule;
    if (!m_context.half) m_state.setGapRule(rule);
    m_context.minimap->refresh();
    m_context.refresh();
}

void NavigationTool::setOpenedGaps(std::vector<TimeRange> gaps)
{
    m_state.window.setOpened(std::move(gaps));
    m_context.minimap->refresh();
    settle(m_state.window.visible());
}

void NavigationTool::setGapOpen(TimeRange gap, bool isOpen)
{
    ViewWindow& window = m_state.window;
    if (m_animation->state() == QAbstractAnimation::Running) m_animation->stop();
    // A view that is entirely within the gap would expand it again, so some time on both sides is shown.
    constexpr Duration kGapMargin{1'000'000'000};
    TimeRange target = m_view.visible();
    const bool fillsView = gap.begin <= target.begin && target.end <= gap.end;
    if (!isOpen && fillsView) {
        rememberView();
        target = {gap.begin - kGapMargin, gap.end + kGapMargin};
    }
    window.show(target);
    window.setOpen(gap, isOpen);
    m_context.minimap->refresh();
    settle(window.visible());
    const QString length = QString::fromStdString(gapText(gap.length()));
    m_context.notices.post(isOpen ? tr("Gap of %1 expanded. Press %2 to collapse it.")
                                        .arg(length, keyInText(m_context.keys.shown(CommandId::toggleGaps)))
                                  : tr("Gap of %1 collapsed").arg(length));
}

void NavigationTool::editGap(TimeRange gap, bool isOpen)
{
    const std::vector<TimeRange> before = m_state.window.opened();
    setGapOpen(gap, isOpen);
    emit gapsEdited(before);
}

// Toggles the gap under the mouse, otherwise all gaps in view.
void NavigationTool::toggleGaps()
{
    const ViewWindow& window = m_state.window;
    std::vector<TimeRange> inSight;
    for (const TimeRange& gap : window.gaps()) {
        if (m_state.cursor && gap.contains(*m_state.cursor)) return editGap(gap, !window.isOpen(gap));
        if (gap.overlaps(m_view.visible())) inSight.push_back(gap);
    }
    if (inSight.empty()) return m_context.notices.post(tr("No gap in view"));
    const auto isFolded = [&](const TimeRange& gap) { return !window.isOpen(gap); };
    const bool opens = std::ranges::any_of(inSight, isFolded);
    const std::vector<TimeRange> before = window.opened();
    for (const TimeRange& gap : inSight) {
        if (isFolded(gap) == opens) setGapOpen(gap, opens);
    }
    emit gapsEdited(before);
    const int count = static_cast<int>(inSight.size());
    if (count > 1)
        m_context.notices.post(opens ? tr("%n gap(s) expanded", nullptr, count)
                                     : tr("%n gap(s) collapsed", nullptr, count));
}

void NavigationTool::setRulerTime(const RulerTime& time)
{
    m_context.ruler->setTime(time);
}

void NavigationTool::chooseRulerTime(const RulerTime& time)
{
    setRulerTime(time);
    emit rulerTimeChanged(time);
    const auto file = [this](ReportKey report) {
        const Workspace& shown = m_state.scene().shown;
        if (shown.isEmpty()) return QString();
        const ReportKey key = shown.has(report) ? report : shown.keys().front();
        return QString::fromStdString(shown.report(key).provenance.path.filename().string());
    };
    m_context.notices.post(time.from == RulerTime::From::utc ? tr("Time axis: time of day (UTC)")
                           : time.from == RulerTime::From::report
                               ? tr("Time axis: clock of %1").arg(file(time.report))
                               : tr("Time axis: time since %1").arg(zeroText(m_state.scene())));
}

bool NavigationTool::press(const QMouseEvent& event)
{
    const bool hasShift = (event.modifiers() & Qt::ShiftModifier) != 0;
    const bool pans = event.button() == Qt::MiddleButton || (event.button() == Qt::LeftButton && hasShift);
    if (pans) m_context.canvas->setCursor(Qt::ClosedHandCursor);
    m_draggedTo = event.position();
    return pans;
}

void NavigationTool::move(const QMouseEvent& event)
{
    const QPointF moved = event.position() - std::exchange(m_draggedTo, event.position());
    if (moved.x() != 0) panBy(-m_context.canvas->durationOf(moved.x()));
    if (moved.y() != 0)
        m_context.scrollTo(m_state.scroll +
                           static_cast<int>(std::lround(-moved.y() * m_context.owner.devicePixelRatioF())));
}

bool NavigationTool::release(const QMouseEvent&)
{
    m_context.canvas->setCursor(Qt::ArrowCursor);
    return false;
}

bool NavigationTool::wheel(const QWheelEvent& event)
{
    const TimelineCanvas& canvas = *m_context.canvas;
    const QPoint angle = event.angleDelta();
    const double notches = (angle.y() != 0 ? angle.y() : angle.x()) / 120.0;
    if (event.modifiers() & Qt::ControlModifier) {
        zoomAt(canvas.timeAt(event.position().x()), std::pow(0.8, notches));
    } else if ((event.modifiers() & Qt::ShiftModifier) || angle.y() == 0) {
        panBy(canvas.durationOf(-notches * 0.1 * canvas.width()));
    } else {
        const int pixels = event.pixelDelta().isNull() ? angle.y() / 2 : event.pixelDelta().y();
        m_context.scrollTo(m_state.scroll + static_cast<int>(-pixels * canvas.devicePixelRatioF()));
    }
    return true;
}

// Draws the line of showPosition().
void NavigationTool::paint(QPainter& painter)
{
    if (!m_state.flash) return;
    const DisplayList& list = m_context.canvas->displayList();
    const int x = list.scale.pixelOf(*m_state.flash);
    if (x < 0 || x >= list.timeWidth()) return;
    const int pen = m_state.px(2);
    painter.fillRect(list.headerWidth + x - pen / 2, 0, pen, list.size.height, m_state.theme->accent);
}

} // namespace lockstep
