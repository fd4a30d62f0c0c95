// SPDX-License-Identifier: Apache-2.0
// RecentPaths stores the recently opened paths in the settings and determines which of them no longer exist.
// This is checked off the UI thread, because an unresponsive file system would block the window; a
// path that has not been checked yet counts as existing. UI thread.
#pragma once

#include <set>

#include <QObject>

#include "app/window/settings.h"
#include "ui/async/latest_job.h"

namespace lockstep {

class RecentPaths : public QObject {
    Q_OBJECT

  public:
    // `settings` outlives this object.
    explicit RecentPaths(Settings& settings);

    // Keys of the settings that store the workspaces, and the report files and folders. Both lists start with
    // the newest path and have at most 12 entries.
    static constexpr const char* kWorkspaces = "open/recent_workspaces";
    static constexpr const char* kReports = "open/recent";

    std::vector<std::filesystem::path> workspaces() const { return stored(kWorkspaces); }
    std::vector<std::filesystem::path> reports() const { return stored(kReports); }
    const std::set<std::filesystem::path>& missing() const { return m_missing; }

    void addReports(const std::vector<std::filesystem::path>& paths);
    void addWorkspace(const std::filesystem::path& path);
    void forget();
    // Checks again which paths exist.
    void check();
    bool isChecking() const { return m_check.isRunning(); }

  signals:
    void changed();

  private:
    using PathSet = std::set<std::filesystem::path>;

    std::vector<std::filesystem::path> stored(const char* key) const;
    void add(const char* key, const std::vector<std::filesystem::path>& added);

    Settings& m_settings;
    PathSet m_missing;
    LatestJob<PathSet> m_check;
};

} // namespace lockstep
