// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/timeline_view.h"

#include <cmath>

#include <QEvent>
#include <QFontInfo>
#include <QGridLayout>
#include <QScopedValueRollback>
#include <QScrollBar>
#include <QStyle>
#include <QVariantAnimation>

#include "core/timeline/memory_pointing.h"
#include "ui/timeline/distant_report_bar.h"
#include "ui/timeline/hover_card.h"
#include "ui/timeline/marks_bar.h"
#include "ui/timeline/minimap_bar.h"
#include "ui/timeline/note_editor.h"
#include "ui/timeline/ruler_bar.h"
#include "ui/timeline/timeline_accessible.h"
#include "ui/timeline/timeline_canvas.h"
#include "ui/window/view_state.h"

namespace lockstep {

namespace {

constexpr int kAnimation_ms = 120;
constexpr int kZoomPause_ms = 700; // zooms within this time of each other are one step of the zoom history

} // namespace

TimelineView::TimelineView(ViewState& view, Notices& notices, Workers workers, QWidget* parent)
    : QWidget(parent), m_view(view), m_notices(notices), m_state(&view),
      m_minimap(new MinimapBar(m_state, this)), m_ruler(new RulerBar(m_state, this)),
      m_marksBar(new MarksBar(m_state, this)), m_distantReport(new DistantReportBar(this)),
      m_canvas(new TimelineCanvas(m_state, this)), m_scrollBar(new QScrollBar(Qt::Vertical, this)),
      m_card(new HoverCard(m_canvas)), m_noteEditor(new NoteEditor(this)),
      m_animation(new QVariantAnimation(this))
{
    m_state.workers = std::move(workers);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Timeline"));
    setAccessibleDescription(
        tr("W and S zoom; A and D pan; arrow keys select lanes; comma and period step through slices"));
    auto* const layout = new QGridLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    // Bars above the lanes have the same time scale, so the column of the scroll bar stays empty there.
    reclaimOverview();
    layout->addWidget(m_ruler, 2, 0);
    layout->addWidget(m_marksBar, 3, 0);
    layout->addWidget(m_distantReport, 4, 0, 1, 2);
    layout->addWidget(m_canvas, 6, 0);
    layout->addWidget(m_scrollBar, 6, 1);
    layout->setRowStretch(6, 1); // rows 1 and 5 are for the widgets of hold()
    m_state.marks = &m_marksBar->markLayout();
    layout->setColumnStretch(0, 1);
    m_scrollBar->setAccessibleName(tr("Scroll lanes"));
    m_scrollBar->setFocusPolicy(Qt::NoFocus);
    m_animation->setStartValue(0.0);
    m_animation->setEndValue(1.0);
    m_animation->setDuration(kAnimation_ms);
    m_animation->setEasingCurve(QEasingCurve::OutCubic);
    setGoal(m_state.window.visible());
    updateScale();
    connectParts();
    connectMouse();
    connectSlices();
    connectView();
}

TimelineView::~TimelineView() = default;

void TimelineView::connectParts()
{
    connect(m_animation, &QVariantAnimation::valueChanged, this, [this](const QVariant& value) {
        const double part = value.toDouble();
        m_state.window.show(m_state.window.between(m_from, m_view.visible(), part));
        refresh();
        emit framed(m_state.window.visible());
    });
    connect(m_animation, &QVariantAnimation::finished, this, [this] { settle(m_view.visible()); });
    connect(m_scrollBar, &QScrollBar::valueChanged, this, [this](int value) {
        m_state.scroll = value;
        m_canvas->refresh();
        emit scrolledTo(value);
    });
    connect(m_ruler, &RulerBar::rangeDragged, this, [this](TimeRange range) { m_view.setRange(range); });
    connect(m_ruler, &RulerBar::gapPressed, this, &TimelineView::editGap);
    connect(m_ruler, &RulerBar::zoomRequested, this, &TimelineView::zoomAt);
    connect(m_ruler, &RulerBar::timeChosen, this, &TimelineView::chooseRulerTime);
    connect(m_distantReport, &DistantReportBar::goToRequested, this, &TimelineView::zoomTo);
    connect(m_minimap, &MinimapBar::panRequested, this, [this](Duration by) { panBy(by); });
}

void TimelineView::connectMouse()
{
    connect(m_canvas, &TimelineCanvas::hovered, this, &TimelineView::hover);
    connect(m_canvas, &TimelineCanvas::hoverEnded, this, &TimelineView::endHover);
    connect(m_canvas, &TimelineCanvas::clicked, this, &TimelineView::click);
    connect(m_canvas, &TimelineCanvas::doubleClicked, this, &TimelineView::doubleClick);
    connect(m_canvas, &TimelineCanvas::pickToggled, this, &TimelineView::togglePick);
    connect(m_canvas, &TimelineCanvas::areaDragged, this, [this](const TimelineCanvas::AreaDrag& drag) {
        dragArea({drag.range, lanesBetween(drag.first, drag.last)}, drag.from, drag.to, drag.isAdding,
                 drag.isFinal);
    });
    connect(m_canvas, &TimelineCanvas::laneShifted, this, &TimelineView::dragLane);
    connect(m_canvas, &TimelineCanvas::zoomRequested, this, &TimelineView::zoomAt);
    connect(m_canvas, &TimelineCanvas::panRequested, this, [this](Duration by) { panBy(by); });
    connect(m_canvas, &TimelineCanvas::scrollRequested, this,
            [this](int by) { scrollTo(m_state.scroll + by); });
    connect(m_canvas, &TimelineCanvas::headerWidthRequested, this, &TimelineView::setHeaderWidth);
    connect(m_canvas, &TimelineCanvas::laneMenuRequested, this, &TimelineView::showLaneMenu);
}

void TimelineView::connectView()
{
    connect(&m_view, &ViewState::visibleChanged, this, [this] {
        if (!m_movesView) zoomTo(m_view.visible());
    });
    connect(&m_view, &ViewState::sliceChanged, this, [this] {
        const SliceRef slice = m_view.slice();
        // In a comparison, the slice may be of the other pane.
        if (slice.isValid() && !m_half && !m_state.scene().holds(slice)) return m_view.setSlice({});
        m_state.findPeers();
        m_canvas->refresh();
        announceFocus(*this);
    });
    connect(&m_view, &ViewState::blockChanged, this, [this] {
        if (m_view.block().isValid() && !memoryPlaceOf(m_state.scene(), m_view.block()))
            return m_view.setBlock({});
        m_canvas->refresh();
    });
    connect(&m_view, &ViewState::areasChanged, this, &TimelineView::refresh);
    connect(&m_view, &ViewState::rangeChanged, this, &TimelineView::refresh);
    connect(&m_view, &ViewState::revealRequested, this, [this](SliceRef slice, bool isZoomedTo) {
        if (m_half && !m_state.scene().holds(slice)) return; // the other pane may have the slice
        select(slice, true);
        if (isZoomedTo) fitSelection();
    });
}

void TimelineView::setScene(ScenePtr scene)
{
    if (m_animation->state() == QAbstractAnimation::Running) {
        m_animation->stop(); // a new scene must not leave the view in the middle of an animation
        m_state.window.show(m_view.visible());
    }
    endHover();
    const Selection selection = m_state.setScene(std::move(scene));
    m_minimap->refresh();
    refreshLanes();
    showHiddenNames();
    showHiddenLanesCount();
    m_distantReport->setScene(m_state.scene());
    setGoal(m_state.window.visible());
    m_view.setMoving(false);
    m_view.setSelection(selection);
    m_state.findPeers();
}

void TimelineView::setTheme(const Theme& theme)
{
    m_state.theme = &theme;
    setPalette(theme.palette());
    refresh();
}

void TimelineView::setReducedMotion(bool reduced)
{
    m_reducedMotion = reduced;
}

void TimelineView::updateScale()
{
    // The text size of the application determines the scale: 12 px is scale 1.
    const double text = std::clamp(QFontInfo(font()).pixelSize() / 12.0, 0.75, 3.0);
    m_state.setScale(std::round(text * 4) / 4 * devicePixelRatioF());
    m_ruler->updateGeometry();
    m_marksBar->updateGeometry();
    m_minimap->updateGeometry();
}

void TimelineView::refresh()
{
    m_state.setViewWidth(m_canvas->deviceSize().width);
    m_marksBar->refresh();
    m_canvas->refresh();
    m_ruler->update();
    m_minimap->update();
}

void TimelineView::setHits(std::shared_ptr<const HitRows> hits)
{
    if (hits == m_state.hits) return;
    m_state.hits = std::move(hits);
    refresh();
}

void TimelineView::refreshLanes()
{
    updateScrollBar();
    refresh();
}

void TimelineView::updateScrollBar()
{
    const int height = m_canvas->deviceSize().height;
    m_state.setViewHeight(height);
    const int shown = height - std::min(m_state.flow().pinnedHeight, height / 2);
    // Allow half a page of free space below the last lane, so that it can be scrolled away from the edge.
    const int most = std::max(0, m_state.flow().scrollingHeight - shown + m_state.flow().pitch());
    m_scrollBar->setPageStep(std::max(1, shown));
    m_scrollBar->setSingleStep(m_state.flow().pitch());
    m_scrollBar->setRange(0, m_state.flow().scrollingHeight <= shown ? 0 : most);
    m_scrollBar->setVisible(m_scrollBar->maximum() > 0);
    m_state.scroll = m_scrollBar->value();
}

void TimelineView::scrollTo(int y)
{
    m_scrollBar->setValue(y);
}

void TimelineView::setGoal(TimeRange goal)
{
    const QScopedValueRollback moves(m_movesView, true);
    m_view.setVisible(goal);
}

void TimelineView::showAtOnce(TimeRange aligned)
{
    m_animation->stop();
    ViewWindow window = m_state.window;
    window.show(aligned);
    settle(window.visible());
}

void TimelineView::moveTo(TimeRange goal, bool animate)
{
    emit navigated();
    ViewWindow window = m_state.window;
    window.show(goal);
    m_animation->stop();
    animate = animate && !m_reducedMotion && isVisible() &&
              style()->styleHint(QStyle::SH_Widget_Animate, nullptr, this) != 0;
    if (!animate) return settle(window.visible());
    m_from = m_state.window.visible();
    m_view.setMoving(true);
    setGoal(window.visible());
    m_animation->start();
}

void TimelineView::settle(TimeRange shown)
{
    m_state.window.show(shown);
    refresh();
    if (m_card->isVisible()) m_card->hide();
    emit framed(shown);
    setGoal(shown);
    m_view.setMoving(false);
}

void TimelineView::rememberPlace()
{
    m_lastZoom.restart();
    m_state.window.remember();
}

void TimelineView::zoomTo(TimeRange aligned)
{
    rememberPlace();
    moveTo(aligned, true);
}

void TimelineView::zoomAt(TraceTime at, double factor)
{
    if (!m_lastZoom.isValid() || m_lastZoom.elapsed() > kZoomPause_ms) rememberPlace();
    m_lastZoom.restart();
    ViewWindow window = goalWindow();
    window.zoomAt(at, factor);
    moveTo(window.visible(), true);
}

void TimelineView::panBy(Duration by, bool animate)
{
    ViewWindow window = goalWindow();
    window.panBy(by);
    moveTo(window.visible(), animate);
}

// A comparison pane shows the compared range first, and everything if that range is already visible.
void TimelineView::fitAll()
{
    if (m_half && m_view.visible() != m_half->whole) return zoomTo(m_half->whole);
    m_state.forgetReach();
    zoomTo(m_state.window.bounds());
}

void TimelineView::fitSelection()
{
    std::optional<TimeRange> range = m_view.range();
    if (!range) range = m_state.selectedLife();
    if (!range) return fitAll();
    const Duration margin{range->length().ns / 10};
    ViewWindow window = m_state.window;
    window.show({range->begin - margin, range->end + margin});
    if (window.visible() == m_view.visible()) return fitAll();
    zoomTo(window.visible());
}

void TimelineView::undoZoom()
{
    m_state.window.show(m_view.visible());
    if (m_state.window.undo()) moveTo(m_state.window.visible(), false);
}

void TimelineView::redoZoom()
{
    m_state.window.show(m_view.visible());
    if (m_state.window.redo()) moveTo(m_state.window.visible(), false);
}

bool TimelineView::setLaneFilter(const QString& regex)
{
    auto filter = LaneFilter::make(regex.toStdString());
    if (!filter) return false;
    m_state.setFilter(*std::move(filter));
    m_laneFilter = regex;
    refreshLanes();
    return true;
}

const DisplayList& TimelineView::displayList()
{
    return m_canvas->displayList();
}

void TimelineView::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) {
        updateScale();
        refreshLanes();
    }
    QWidget::changeEvent(event);
}

bool TimelineView::event(QEvent* event)
{
    // A different screen may have a different pixel ratio.
    if (event->type() == QEvent::ScreenChangeInternal) {
        updateScale();
        refreshLanes();
    }
    return QWidget::event(event);
}

void TimelineView::showEvent(QShowEvent* event)
{
    updateScale();
    refreshLanes();
    QWidget::showEvent(event);
}

void TimelineView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    updateScrollBar();
    refresh();
}

void TimelineView::focusInEvent(QFocusEvent* event)
{
    QWidget::focusInEvent(event);
    m_canvas->refresh();
}

void TimelineView::focusOutEvent(QFocusEvent* event)
{
    QWidget::focusOutEvent(event);
    m_canvas->refresh();
}

} // namespace lockstep
