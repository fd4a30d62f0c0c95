// SPDX-License-Identifier: Apache-2.0
// RecentPaths: what was opened lately, as the settings keep it, and which of it is gone. Whether a path is
// there is asked off the UI thread, as a file system that does not answer would stop the window: until it is
// known, a path counts as there. UI thread.
#pragma once

#include <set>

#include <QObject>

#include "app/settings.h"
#include "ui/async/latest_job.h"

namespace lockstep {

class RecentPaths : public QObject {
    Q_OBJECT

  public:
    // settings outlive this.
    explicit RecentPaths(Settings& settings);

    // Newest first.
    std::vector<std::filesystem::path> workspaces() const { return m_settings.recentWorkspaces(); }
    std::vector<std::filesystem::path> reports() const { return m_settings.recent(); }
    const std::set<std::filesystem::path>& gone() const { return m_gone; }

    void addReports(const std::vector<std::filesystem::path>& paths);
    void addWorkspace(const std::filesystem::path& path);
    void forget();
    // Looks again which are there.
    void check();
    bool isChecking() const { return m_check.isRunning(); }

  signals:
    void changed();

  private:
    using Gone = std::set<std::filesystem::path>;

    Settings& m_settings;
    Gone m_gone;
    LatestJob<Gone> m_check;
};

} // namespace lockstep
