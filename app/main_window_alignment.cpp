// MainWindow: the alignment panel and its traffic with the controller and the timeline.
#include <QDockWidget>

#include "app/main_window.h"
#include "ui/panels/alignment_panel.h"
#include "ui/panels/notice_bar.h"
#include "ui/timeline/timeline_view.h"

namespace lockstep {

void MainWindow::connectAlignment()
{
    connect(m_alignment, &AlignmentPanel::choiceChanged, &m_controller, &WorkspaceController::setAlignment);
    connect(&m_controller, &WorkspaceController::alignmentChanged, this,
            [this] { m_alignment->setChoice(m_controller.alignmentChoice()); });
    connect(&m_controller, &WorkspaceController::sceneChanged, this, [this] {
        m_alignment->setAlignment(m_controller.scene()->open, m_controller.scene()->alignment);
    });
    connect(m_alignment, &AlignmentPanel::reportActivated, this, &MainWindow::activateReport);
    connect(m_alignment, &AlignmentPanel::timeActivated, this, [this](TraceTime at) {
        const Duration half{m_timeline->visibleRange().length().ns / 2};
        m_timeline->zoomTo({at - half, at + half});
    });
    connect(m_actions->at(ActionId::showAlignment), &QAction::triggered, this,
            [this] { raiseDock(m_alignment); });
    connect(m_timeline, &TimelineView::shiftRequested, this, &MainWindow::shiftReports);
}

void MainWindow::shiftReports(const std::vector<ReportKey>& reports, Duration by)
{
    if (m_alignment->moveBy(reports, by)) return;
    m_timeline->cancelShift();
    m_notice->tell(NoticeBar::Tone::quiet,
                   "This report's clock is locked. Unlock it in the alignment panel to move it.",
                   {{"Show the panel", [this] { raiseDock(m_alignment); }}, {"Dismiss", [] {}}});
}

} // namespace lockstep
