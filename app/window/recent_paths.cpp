// SPDX-License-Identifier: Apache-2.0
#include "app/window/recent_paths.h"

namespace lockstep {

RecentPaths::RecentPaths(Settings& settings)
    : m_settings(settings), m_check([this](const Result<PathSet>& missing) {
          if (!missing || *missing == m_missing) return;
          m_missing = *missing;
          emit changed();
      })
{
    settings.bind("open/recent", this, [this] { emit changed(); });
    check();
}

void RecentPaths::addReports(const std::vector<std::filesystem::path>& paths)
{
    m_settings.addRecent(paths);
    check();
    emit changed();
}

void RecentPaths::addWorkspace(const std::filesystem::path& path)
{
    m_settings.addRecentWorkspace(path);
    check();
    emit changed();
}

void RecentPaths::forget()
{
    m_settings.clearRecent();
}

void RecentPaths::check()
{
    std::vector<std::filesystem::path> paths = workspaces();
    for (const auto& path : reports())
        paths.push_back(path);
    m_check.start([paths = std::move(paths)](const Progress& progress) -> Result<PathSet> {
        PathSet missing;
        for (const auto& path : paths) {
            LOCKSTEP_TRY(progress.check());
            std::error_code ignored;
            if (!std::filesystem::exists(path, ignored)) missing.insert(path);
        }
        return missing;
    });
}

} // namespace lockstep
