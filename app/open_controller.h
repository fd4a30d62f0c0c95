// SPDX-License-Identifier: Apache-2.0
// OpenController: every way of opening: dialogs, what was opened lately, paths from anywhere. What
// is a session goes to the session page, all else to the reports. UI thread; nothing here blocks it.
#pragma once

#include "app/recent_paths.h"
#include "app/workspace_controller.h"

class QMenu;
class QWidget;

namespace lockstep {

class ActionTable;
class NoticeBar;

class OpenController : public QObject {
    Q_OBJECT

  public:
    // All of them outlive the controller. Dialogs stand before the window.
    OpenController(QWidget& window, Settings& settings, const ActionTable& actions, NoticeBar& notice,
                   WorkspaceController& reports);

    void open(const std::vector<std::filesystem::path>& paths);
    void askForFiles();
    void askForFolder();
    RecentPaths& recent() { return m_recent; }
    // It is not known which paths are gone.
    bool isBusy() const { return m_recent.isChecking(); }

  signals:
    void sessionRequested(const std::filesystem::path& path);
    // What was asked for before is on its way; a message about it is old now.
    void reportsRequested();

  private:
    void fillRecentMenu(QMenu& menu);
    void showWalk();
    void remember();

    QWidget& m_window;
    Settings& m_settings;
    NoticeBar& m_notice;
    WorkspaceController& m_reports;
    RecentPaths m_recent;
    std::vector<std::filesystem::path> m_asked; // last, of which nothing was opened yet
    bool m_walkIsTold = false;                  // the notice bar shows a folder being looked through
};

} // namespace lockstep
