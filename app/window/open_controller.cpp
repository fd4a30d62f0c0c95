// SPDX-License-Identifier: Apache-2.0
#include "app/window/open_controller.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include <QFileDialog>
#include <QMenu>

#include "app/window/command_actions.h"
#include "core/readers/reader.h"
#include "ui/panels/notice_bar.h"

namespace lockstep {

namespace {

// Sessions, and files from which a session can be imported. No report has these extensions.
bool isSession(const std::filesystem::path& path)
{
    constexpr std::array<std::string_view, 6> kExtensions{".yaml", ".yml",    ".sh",
                                                          ".bash", ".sbatch", ".slurm"};
    return std::ranges::find(kExtensions, path.extension().string()) != kExtensions.end();
}

} // namespace

OpenController::OpenController(QWidget& window, Settings& settings, const CommandActions& actions,
                               NoticeBar& notice, WorkspaceController& reports)
    : m_window(window), m_settings(settings), m_notice(notice), m_reports(reports), m_recent(settings)
{
    const auto on = [&](CommandId id, auto&& run) {
        connect(actions.at(id), &QAction::triggered, this, run);
    };
    on(CommandId::openFiles, [this] { promptForFiles(); });
    on(CommandId::openFolder, [this] { promptForFolder(); });
    on(CommandId::cancelLoading, [this] { m_reports.cancelAll(); });
    auto* const menu = new QMenu(tr("Recent"), actions.menu("File"));
    actions.menu("File")->insertMenu(actions.at(CommandId::openDemo), menu);
    connect(menu, &QMenu::aboutToShow, this, [this, menu] { fillRecentMenu(*menu); });
    connect(&reports.reports(), &ReportList::progressed, this, &OpenController::showWalkProgress);
    connect(&reports.reports(), &ReportList::changed, this,
            [this, cancel = actions.at(CommandId::cancelLoading)] {
                cancel->setEnabled(m_reports.isBusy());
                remember();
                if (m_reports.walked().second == 0 && std::exchange(m_isWalkShown, false)) m_notice.clear();
            });
}

void OpenController::open(const std::vector<std::filesystem::path>& paths, bool isShown)
{
    std::vector<std::filesystem::path> reports;
    std::ranges::remove_copy_if(paths, std::back_inserter(reports), isSession);
    const auto session = std::ranges::find_if(paths, isSession);
    if (session != paths.end()) emit sessionRequested(*session);
    if (reports.empty()) return;
    std::vector<std::filesystem::path> requested; // a workspace is added to the recent list once it is open
    std::ranges::remove_copy_if(reports, std::back_inserter(requested),
                                [](const auto& path) { return path.extension() == ".lockstep"; });
    m_requested = std::move(requested);
    if (session == paths.end()) emit reportsRequested(isShown);
    m_reports.open(reports);
}

// Adds each requested path to the recent list once a report from it is open. If the user cancels the choice
// of files in a folder, the folder is not added.
void OpenController::remember()
{
    if (m_requested.empty()) return;
    std::vector<std::string_view> files; // sorted, because thousands may have been requested
    for (const ReportEntry& entry : m_reports.reports().entries())
        files.push_back(entry.path.native());
    std::ranges::sort(files);
    const auto isAtOrBelow = [&files](const std::string& path) {
        if (std::ranges::binary_search(files, std::string_view(path))) return true;
        const std::string folder = path + "/";
        const auto below = std::ranges::lower_bound(files, std::string_view(folder));
        return below != files.end() && below->starts_with(folder);
    };
    std::vector<std::filesystem::path> opened;
    std::erase_if(m_requested, [&](const std::filesystem::path& path) {
        std::error_code failed;
        std::filesystem::path whole = std::filesystem::absolute(path, failed).lexically_normal();
        if (!whole.has_filename()) whole = whole.parent_path(); // "folder/"
        const bool isOpened = isAtOrBelow(whole.native());
        if (isOpened) opened.push_back(path);
        return isOpened;
    });
    if (!opened.empty()) m_recent.addReports(opened);
}

void OpenController::promptForFiles()
{
    auto* const dialog =
        new QFileDialog(&m_window, tr("Open reports"), m_settings.value("open/folder").toString());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFiles);
    QStringList patterns;
    for (const std::string_view ending : knownSuffixes())
        patterns << "*" + QString::fromUtf8(ending.data(), static_cast<qsizetype>(ending.size()));
    dialog->setNameFilters({tr("Reports (%1)").arg(patterns.join(' ')), tr("All files (*)")});
    connect(dialog, &QFileDialog::filesSelected, this, [this, dialog](const QStringList& files) {
        m_settings.remember("open/folder", dialog->directory().absolutePath());
        std::vector<std::filesystem::path> paths;
        for (const QString& file : files)
            paths.emplace_back(file.toStdString());
        open(paths);
    });
    dialog->open();
}

void OpenController::promptForFolder()
{
    auto* const dialog =
        new QFileDialog(&m_window, tr("Open folder"), m_settings.value("open/folder").toString());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& folder) {
        m_settings.remember("open/folder", folder);
        open({folder.toStdString()});
    });
    dialog->open();
}

void OpenController::fillRecentMenu(QMenu& menu)
{
    menu.clear();
    const auto add = [&](const std::filesystem::path& path) {
        QString name = QString::fromStdString(path.string());
        QAction* const action = menu.addAction(name.replace('&', "&&"), this, [this, path] { open({path}); });
        action->setEnabled(!m_recent.missing().contains(path));
    };
    const auto workspaces = m_recent.workspaces(), reports = m_recent.reports();
    std::ranges::for_each(workspaces, add);
    menu.addSeparator();
    std::ranges::for_each(reports, add);
    if (workspaces.empty() && reports.empty()) menu.addAction(tr("No recent reports"))->setEnabled(false);
    menu.addSeparator();
    menu.addAction(tr("Clear list"), this, [this] { m_recent.forget(); });
    m_recent.check(); // the result is used the next time the menu is shown
}

void OpenController::showWalkProgress()
{
    const auto [done, total] = m_reports.walked();
    if (total == 0) return;
    if (m_notice.isProgress() && !m_isWalkShown) return; // the progress of a save has priority
    m_isWalkShown = true;
    m_notice.showProgress(tr("Searching %n file(s)", nullptr, static_cast<int>(total)),
                          static_cast<double>(done) / static_cast<double>(total),
                          [this] { m_reports.cancelAll(); });
}

} // namespace lockstep
