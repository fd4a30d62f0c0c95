// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/timeline_view.h"

#include <QGridLayout>
#include <QKeyEvent>
#include <QScrollBar>

#include "ui/timeline/distant_report_bar.h"
#include "ui/timeline/marks_bar.h"
#include "ui/timeline/minimap_bar.h"
#include "ui/timeline/timeline_canvas.h"
#include "ui/window/view_state.h"

namespace lockstep {

TimelineView::TimelineView(ViewState& view, Notices& notices, Workers workers, QWidget* parent)
    : QWidget(parent), m_context(*this, view, notices, std::move(workers)),
      m_distantReport(new DistantReportBar(this))
{
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Timeline"));
    setAccessibleDescription(
        tr("W and S zoom; A and D pan; arrow keys select lanes; comma and period step through slices"));
    placeWidgets();
    setToolOrder();
    connect(m_context.scrollBar, &QScrollBar::valueChanged, this, [this](int value) {
        m_context.state.scroll = value;
        m_context.canvas->refresh();
        emit scrolledTo(value);
    });
    connect(m_distantReport, &DistantReportBar::goToRequested, &m_navigation, &NavigationTool::zoomTo);
    connect(&m_slices, &SliceCommands::commandRequested, this, &TimelineView::commandRequested);
}

TimelineView::~TimelineView()
{
    m_context.tools.setTools({}, {}); // the canvas may still get events
}

void TimelineView::placeWidgets()
{
    auto* const layout = new QGridLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    // Bars above the lanes have the same time scale, so the column of the scroll bar stays empty there.
    m_pane.reclaimOverview();
    layout->addWidget(m_context.ruler, 2, 0);
    layout->addWidget(m_context.marksBar, 3, 0);
    layout->addWidget(m_distantReport, 4, 0, 1, 2);
    layout->addWidget(m_context.canvas, 6, 0);
    layout->addWidget(m_context.scrollBar, 6, 1);
    layout->setRowStretch(6, 1); // rows 1 and 5 are for the widgets of TimelinePane::insertWidgets()
    layout->setColumnStretch(0, 1);
    m_context.scrollBar->setAccessibleName(tr("Scroll lanes"));
    m_context.scrollBar->setFocusPolicy(Qt::NoFocus);
}

// Esc ends measuring, a drag, a highlight, the current rank and the selection, in this order. A press is a
// drag of lanes, otherwise of an area, otherwise of the view.
void TimelineView::setToolOrder()
{
    m_context.tools.setTools({&m_measuring, &m_laneDrag, &m_area, &m_slices, &m_rankMap, &m_selection,
                              &m_lanes, &m_marks, &m_navigation, &m_hover},
                             {&m_rankMap, &m_marks, &m_measuring, &m_navigation, &m_laneDrag});
}

const DisplayList& TimelineView::displayList()
{
    return m_context.canvas->displayList();
}

void TimelineView::setScene(ScenePtr scene)
{
    TimelineState& state = m_context.state;
    m_navigation.finishAnimation(); // a new scene must not leave the view in the middle of an animation
    m_hover.leave();
    const Selection selection = state.setScene(std::move(scene));
    m_context.minimap->refresh();
    m_context.refreshLanes();
    m_lanes.showChips();
    m_distantReport->setScene(state.scene());
    m_navigation.setTargetToShown();
    viewState().setMoving(false);
    viewState().setSelection(selection);
    state.findPeers();
}

void TimelineView::setTheme(const Theme& theme)
{
    m_context.state.theme = &theme;
    setPalette(theme.palette());
    m_context.refresh();
}

void TimelineView::setHits(std::shared_ptr<const HitRows> hits)
{
    if (hits == m_context.state.hits) return;
    m_context.state.hits = std::move(hits);
    m_context.refresh();
}

void TimelineView::scrollTo(int y)
{
    m_context.scrollTo(y);
}

void TimelineView::setKeys(const TimelineKeyMap& keys)
{
    m_context.keys = keys;
    m_lanes.showChips();
}

bool TimelineView::run(CommandId command)
{
    if (canRun(command)) return m_context.tools.run(command);
    emit commandRequested(command);
    return true;
}

void TimelineView::keyPressEvent(QKeyEvent* event)
{
    const auto command = keys().commandOf(event->keyCombination());
    if (!command || !run(*command)) QWidget::keyPressEvent(event);
}

void TimelineView::updateScale()
{
    m_context.updateScale();
    m_context.refreshLanes();
}

void TimelineView::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) updateScale();
    QWidget::changeEvent(event);
}

bool TimelineView::event(QEvent* event)
{
    // A different screen may have a different pixel ratio.
    if (event->type() == QEvent::ScreenChangeInternal) updateScale();
    return QWidget::event(event);
}

void TimelineView::showEvent(QShowEvent* event)
{
    updateScale();
    QWidget::showEvent(event);
}

void TimelineView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    m_context.refreshLanes();
}

void TimelineView::focusInEvent(QFocusEvent* event)
{
    QWidget::focusInEvent(event);
    m_context.canvas->refresh();
}

void TimelineView::focusOutEvent(QFocusEvent* event)
{
    QWidget::focusOutEvent(event);
    m_context.canvas->refresh();
}

} // namespace lockstep
