// SPDX-License-Identifier: Apache-2.0
// OpenController opens paths from dialogs, the recent list, drops and the command line. Session files and
// launch scripts go to the session page, all others to the reports. UI thread; never blocks.
#pragma once

#include "app/window/recent_paths.h"
#include "app/window/workspace_controller.h"

class QMenu;
class QWidget;

namespace lockstep {

class CommandActions;
class NoticeBar;

class OpenController : public QObject {
    Q_OBJECT

  public:
    // All arguments outlive the controller. `window` is the parent of dialogs.
    OpenController(QWidget& window, Settings& settings, const CommandActions& actions, NoticeBar& notice,
                   WorkspaceController& reports);

    // Opens the paths. isShown: the page that shows them comes to the front. Otherwise the page and the
    // keyboard focus do not change.
    void open(const std::vector<std::filesystem::path>& paths, bool isShown = true);
    void promptForFiles();
    void promptForFolder();
    RecentPaths& recent() { return m_recent; }
    // Returns true while the recent paths are checked for existence.
    bool isBusy() const { return m_recent.isChecking(); }

  signals:
    void sessionRequested(const std::filesystem::path& path);
    // Emitted when reports are requested; messages about earlier requests are outdated from then on.
    void reportsRequested(bool isShown);

  private:
    void fillRecentMenu(QMenu& menu);
    void showWalkProgress();
    void remember();

    QWidget& m_window;
    Settings& m_settings;
    NoticeBar& m_notice;
    WorkspaceController& m_reports;
    RecentPaths m_recent;
    std::vector<std::filesystem::path> m_requested; // requested paths that do not have an open report yet
    // True while the notice bar shows the progress of a folder search.
    bool m_isWalkShown = false;
};

} // namespace lockstep
