// MainWindow: the Session page as a page of the window, and its commands.
#include <QDockWidget>
#include <QMessageBox>
#include <QPushButton>
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

void MainWindow::showSessionPage()
{
    if (!isSessionPageShown()) {
        m_timelineLayout = saveState();
        m_reportsDock->hide();
        for (QDockWidget* dock : m_bottomDocks)
            dock->hide();
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
    if (isSessionPageShown()) {
        m_pages->setCurrentWidget(m_start);
        restoreState(m_timelineLayout);
        m_status->show();
        showEntries();
    }
    enablePageActions();
}

// What acts on docks and lanes rests while they are out of sight.
void MainWindow::enablePageActions()
{
    using enum ActionId;
    const bool isTimeline = !isSessionPageShown();
    for (const ActionId id : {find, findNext, findPrevious, findLane, showReports, foldPanels, kernelsVisible,
                              kernelsSelected, kernelsWhole, showDetails, showNotes})
        m_actions->at(id)->setEnabled(isTimeline);
    QUndoStack& stack = m_session->draft().undoStack();
    m_actions->at(undo)->setEnabled(!isTimeline && stack.canUndo());
    m_actions->at(redo)->setEnabled(!isTimeline && stack.canRedo());
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
    on(ActionId::undo, [&stack] { stack.undo(); });
    on(ActionId::redo, [&stack] { stack.redo(); });
    on(ActionId::openSession, [this] { m_session->askToOpen(); });
    on(ActionId::saveSession, [this] { m_session->save(); });
    on(ActionId::saveSessionAs, [this] { m_session->askToSave(); });
    on(ActionId::importVerl, [this] { m_session->askToImportVerl(); });
    on(ActionId::importOverrides, [this] { m_session->askToImportOverrides(); });
    on(ActionId::importNrl, [this] { m_session->askToImportNrl(); });
    on(ActionId::loadFacts, [this] { m_session->askForFacts(); });
    connect(m_actions->at(ActionId::showTimeline), &QAction::triggered, this, &MainWindow::showTimelinePage);
    connect(&stack, &QUndoStack::indexChanged, this, &MainWindow::enablePageActions);
    connect(m_session, &SessionPage::fileUsed, this, [this](const std::filesystem::path& path) {
        m_settings.addRecent({path});
        m_start->setRecent(m_settings.recent());
    });
    enablePageActions();
}

// Asks about a session that no file holds; the window closes, if at all, by the answer.
bool MainWindow::mayClose()
{
    if (m_isDraftDropped || !m_session->draft().isModified()) return true;
    auto* const box =
        new QMessageBox(QMessageBox::Warning, "Leave Lockstep", "The session was changed and is not saved.",
                        QMessageBox::NoButton, this);
    box->setAttribute(Qt::WA_DeleteOnClose);
    QPushButton* const save = box->addButton("Save", QMessageBox::AcceptRole);
    QPushButton* const drop = box->addButton("Leave without saving", QMessageBox::DestructiveRole);
    box->addButton("Stay", QMessageBox::RejectRole);
    connect(box, &QMessageBox::buttonClicked, this, [this, save, drop](QAbstractButton* button) {
        if (button == save) {
            showSessionPage();
            m_session->save();
        } else if (button == drop) {
            m_isDraftDropped = true;
            close();
        }
    });
    box->open();
    return false;
}

} // namespace lockstep
