// MainWindow: the Session page as a page of the window, and its commands.
#include <algorithm>

#include <QDockWidget>
#include <QStackedWidget>

#include "app/main_window.h"
#include "app/status_line.h"
#include "ui/panels/start_page.h"
#include "ui/panels/top_strip.h"
#include "ui/session/session_page.h"
#include "ui/timeline/timeline_view.h"

namespace lockstep {

bool MainWindow::isSessionPageShown() const
{
    return m_pages->currentWidget() == m_session;
}

// A page that takes the whole window; the docks come back with the timeline.
void MainWindow::hideDocks()
{
    if (!m_timelineLayout.isEmpty()) return;
    m_timelineLayout = saveState();
    m_reportsDock->hide();
    for (QDockWidget* dock : m_bottomDocks)
        dock->hide();
}

void MainWindow::bringDocksBack()
{
    if (!m_timelineLayout.isEmpty()) restoreState(m_timelineLayout);
    m_timelineLayout.clear();
}

void MainWindow::showSessionPage()
{
    if (!isSessionPageShown()) {
        hideDocks();
        m_status->hide();
        m_pages->setCurrentWidget(m_session);
        m_session->setFocus();
    }
    m_strip->setPage(TopStrip::Page::session);
    enablePageActions();
}

void MainWindow::showTimelinePage()
{
    m_strip->setPage(TopStrip::Page::timeline);
    if (isSessionPageShown() || isRunPageShown()) {
        m_pages->setCurrentWidget(m_start);
        bringDocksBack();
        m_status->show();
        showEntries();
    }
    enablePageActions();
}

// What acts on docks and lanes rests while they are out of sight.
void MainWindow::enablePageActions()
{
    using enum ActionId;
    const bool isTimeline = !isSessionPageShown() && !isRunPageShown();
    for (const ActionId id :
         {find, findNext, findPrevious, findLane, showReports, foldPanels, kernelsVisible, kernelsSelected,
          kernelsWhole, showDetails, showNotes, showAlignment, showIdentities})
        m_actions->at(id)->setEnabled(isTimeline);
    const QUndoStack& stack = isTimeline ? m_undo : m_session->draft().undoStack();
    m_actions->at(undo)->setEnabled(stack.canUndo());
    m_actions->at(redo)->setEnabled(stack.canRedo());
    // Saving by key saves what is on screen.
    const auto give = [this](ActionId toSession, ActionId toWorkspace, bool isForWorkspace) {
        const auto spec = std::ranges::find(actionSpecs(), toWorkspace, &ActionSpec::id);
        const QList<QKeySequence> keys{QKeySequence(spec->keys)};
        m_actions->at(toSession)->setShortcuts(isForWorkspace ? QList<QKeySequence>() : keys);
        m_actions->at(toWorkspace)->setShortcuts(isForWorkspace ? keys : QList<QKeySequence>());
    };
    give(saveSession, saveWorkspace, isTimeline);
    give(saveSessionAs, saveWorkspaceAs, isTimeline);
}

void MainWindow::connectSession()
{
    const auto on = [this](ActionId id, auto&& run) {
        connect(m_actions->at(id), &QAction::triggered, this, [this, run] {
            showSessionPage();
            run();
        });
    };
    QUndoStack& stack = m_session->draft().undoStack();
    on(ActionId::showSession, [] {});
    on(ActionId::openSession, [this] { m_session->askToOpen(); });
    on(ActionId::saveSession, [this] { m_session->save(); });
    on(ActionId::saveSessionAs, [this] { m_session->askToSave(); });
    on(ActionId::importVerl, [this] { m_session->askToImportVerl(); });
    on(ActionId::importOverrides, [this] { m_session->askToImportOverrides(); });
    on(ActionId::importNrl, [this] { m_session->askToImportNrl(); });
    on(ActionId::loadFacts, [this] { m_session->askForFacts(); });
    connect(m_actions->at(ActionId::showTimeline), &QAction::triggered, this, &MainWindow::showTimelinePage);
    connect(&stack, &QUndoStack::indexChanged, this, &MainWindow::enablePageActions);
    connect(m_actions->at(ActionId::undo), &QAction::triggered, this,
            [this, &stack] { isSessionPageShown() ? stack.undo() : m_undo.undo(); });
    connect(m_actions->at(ActionId::redo), &QAction::triggered, this,
            [this, &stack] { isSessionPageShown() ? stack.redo() : m_undo.redo(); });
    connect(m_session, &SessionPage::fileUsed, this, [this](const std::filesystem::path& path) {
        m_settings.addRecent({path});
        showRecent();
    });
    enablePageActions();
}

} // namespace lockstep
