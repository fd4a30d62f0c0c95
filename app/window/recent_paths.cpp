// SPDX-License-Identifier: Apache-2.0
#include "app/window/recent_paths.h"

#include <algorithm>
#include <iterator>

namespace lockstep {

namespace {

constexpr qsizetype kMaxPaths = 12;

} // namespace

RecentPaths::RecentPaths(Settings& settings)
    : m_settings(settings), m_check([this](const Result<PathSet>& missing) {
          if (!missing || *missing == m_missing) return;
          m_missing = *missing;
          emit changed();
      })
{
    settings.bind(kReports, this, [this] { emit changed(); });
    check();
}

void RecentPaths::addReports(const std::vector<std::filesystem::path>& paths)
{
    add(kReports, paths);
}

void RecentPaths::addWorkspace(const std::filesystem::path& path)
{
    add(kWorkspaces, {path});
}

void RecentPaths::forget()
{
    m_settings.reset(kReports);
}

std::vector<std::filesystem::path> RecentPaths::stored(const char* key) const
{
    std::vector<std::filesystem::path> paths;
    for (const QString& path : m_settings.value(key).toStringList())
        paths.emplace_back(path.toStdString());
    return paths;
}

void RecentPaths::add(const char* key, const std::vector<std::filesystem::path>& added)
{
    std::vector<std::filesystem::path> all;
    for (const auto& path : added) {
        std::error_code failed;
        const auto absolute = std::filesystem::absolute(path, failed);
        all.push_back((failed ? path : absolute).lexically_normal());
    }
    std::ranges::copy(stored(key), std::back_inserter(all));
    QStringList paths;
    for (const auto& path : all) {
        const QString text = QString::fromStdString(path.string());
        if (paths.size() < kMaxPaths && !paths.contains(text)) paths << text;
    }
    m_settings.remember(key, paths);
    check();
    emit changed();
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
