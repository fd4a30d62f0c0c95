// MainWindow: the alignment panel and its traffic with the controller and the timeline.
#include <QDockWidget>

#include "app/main_window.h"
#include "ui/panels/alignment_panel.h"
#include "ui/panels/notice_bar.h"
#include "ui/timeline/timeline_view.h"

namespace lockstep {

void MainWindow::connectAlignment()
{
    connect(m_alignment, &AlignmentPanel::choiceChanged, &m_controller,
            qOverload<const AlignmentChoice&>(&WorkspaceController::setAlignment));
    connect(&m_controller, &WorkspaceController::alignmentChanged, this,
            [this] { m_alignment->setChoice(m_controller.alignmentChoice()); });
    connect(&m_controller, &WorkspaceController::shownChanged, this, [this] {
        const OpenReports aligned = m_controller.alignedReports();
        m_alignment->setAlignment(aligned.workspace, aligned.keys, m_controller.alignment());
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

void MainWindow::shiftReports(const std::vector<ReportId>& reports, Duration by)
{
    std::vector<int> keys;
    for (const ReportId report : reports)
        keys.push_back(m_controller.shown().keys[report.value]);
    if (m_alignment->moveBy(keys, by)) return;
    m_timeline->cancelShift();
    m_notice->tell(NoticeBar::Tone::quiet,
                   "This report's clock is locked. Unlock it in the alignment panel to move it.",
                   {{"Show the panel", [this] { raiseDock(m_alignment); }}, {"Dismiss", [] {}}});
}

} // namespace lockstep
