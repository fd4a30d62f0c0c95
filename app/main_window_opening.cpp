// MainWindow: every way of opening, and what the window shows of what was opened.
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QMenu>
#include <QMimeData>
#include <QStackedWidget>
#include <QStandardPaths>

#include "app/demo_reports.h"
#include "app/main_window.h"
#include "app/status_line.h"
#include "ui/panels/details_panel.h"
#include "ui/panels/drop_overlay.h"
#include "ui/panels/identity_panel.h"
#include "ui/panels/kernel_panel.h"
#include "ui/panels/notes_panel.h"
#include "ui/panels/notice_bar.h"
#include "ui/panels/report_choice_page.h"
#include "ui/panels/reports_panel.h"
#include "ui/panels/start_page.h"
#include "ui/panels/top_strip.h"
#include "ui/timeline/timeline_view.h"

namespace lockstep {

void MainWindow::connectController()
{
    connect(&m_controller.reports(), &ReportList::changed, this, &MainWindow::showEntries);
    connect(&m_controller.reports(), &ReportList::progressed, this, &MainWindow::showProgress);
    connect(&m_controller, &WorkspaceController::sceneChanged, this, &MainWindow::showReports);
    connect(m_reports, &ReportsPanel::showRequested, &m_controller, &WorkspaceController::setShown);
    connect(m_reports, &ReportsPanel::closeRequested, &m_controller, &WorkspaceController::close);
    connect(m_reports, &ReportsPanel::cancelRequested, &m_controller, &WorkspaceController::cancel);
    connect(m_reports, &ReportsPanel::retryRequested, &m_controller, &WorkspaceController::retry);
    connect(m_reports, &ReportsPanel::dismissRequested, &m_controller, &WorkspaceController::dismiss);
    connect(m_reports, &ReportsPanel::reportActivated, this, &MainWindow::activateReport);
    connect(m_start, &StartPage::openFilesRequested, this, &MainWindow::askForFiles);
    connect(m_start, &StartPage::openFolderRequested, this, &MainWindow::askForFolder);
    connect(m_start, &StartPage::sessionRequested, this, &MainWindow::showSessionPage);
    connect(m_start, &StartPage::demoRequested, this, &MainWindow::openDemo);
    connect(m_start, &StartPage::recentRequested, this,
            [this](const std::filesystem::path& path) { open({path}); });
}

void MainWindow::showEntries()
{
    const std::vector<ReportEntry>& entries = m_controller.reports().entries();
    m_reports->setEntries(entries);
    m_identity->setEntries(entries);
    m_notes->setRows(noteRows(entries, m_controller.reports().passedOver()));
    const bool anyOpen = std::ranges::any_of(
        entries, [](const ReportEntry& entry) { return entry.state == ReportState::open; });
    if (!isSessionPageShown() && !isRunPageShown() && m_pages->currentWidget() != m_choice)
        m_pages->setCurrentWidget(anyOpen ? static_cast<QWidget*>(m_timeline) : m_start);
    // A failure that leaves nothing to look at is told in the middle of the window too.
    const auto failed = std::ranges::find(entries, ReportState::failed, &ReportEntry::state);
    const bool onlyFailed = !anyOpen && failed != entries.end();
    m_start->setMessage(onlyFailed ? QString::fromStdString(failed->error.message) : QString());
    m_actions->at(ActionId::cancelLoading)->setEnabled(m_controller.isBusy());
    m_actions->at(ActionId::closeAll)->setEnabled(!entries.empty());
    m_actions->at(ActionId::saveWorkspace)->setEnabled(anyOpen);
    m_actions->at(ActionId::saveWorkspaceAs)->setEnabled(anyOpen);
    if (m_walkIsTold && m_controller.walked().second == 0) {
        m_walkIsTold = false;
        m_notice->clear();
    }
    noteReports();
    updateStatus();
}

void MainWindow::showProgress()
{
    m_reports->setProgress(m_controller.reports().entries());
    const auto [done, total] = m_controller.walked();
    if (total == 0 || m_saved.isSaving()) return;
    m_walkIsTold = true;
    m_notice->showProgress(QString("Looking at %1 files").arg(total),
                           static_cast<double>(done) / static_cast<double>(total),
                           [this] { m_controller.cancelAll(); });
}

void MainWindow::closeAll()
{
    std::vector<ReportKey> keys;
    for (const ReportEntry& entry : m_controller.reports().entries())
        keys.push_back(entry.key);
    m_controller.close(keys);
}

void MainWindow::showReports()
{
    const ScenePtr& scene = m_controller.scene();
    const TimeRange whole = scene->extent();
    const std::vector<TimeRange>& crumbs = m_trail.crumbs();
    // While reports arrive the view follows the whole, until the user has gone somewhere.
    const bool followsWhole = crumbs.size() <= 1;
    m_timeline->setScene(scene);
    if (crumbs.empty() || crumbs.front() != whole) m_trail.setWhole(whole);
    if (followsWhole && !whole.isEmpty()) m_timeline->fitAll();
    restoreView();
    m_details->setScene(scene);
    m_kernels->setScene(scene);
    m_kernels->setVisibleRange(m_timeline->visibleRange());
    m_kernels->setSelectedRange(m_timeline->selectedRange());
    m_search.setScene(scene);
    m_hovered = {};
    m_status->setScene(scene);
    settleView();
    updateStatus();
}

void MainWindow::updateStatus()
{
    size_t open = 0, loading = 0;
    for (const ReportEntry& entry : m_controller.reports().entries()) {
        open += entry.state == ReportState::open;
        loading += entry.state == ReportState::loading;
    }
    m_status->setReports(m_controller.scene()->shown.size(), open, loading,
                         m_controller.reports().residentBytes());
}

void MainWindow::askForFiles()
{
    auto* const dialog = new QFileDialog(this, "Open reports", m_settings.lastFolder());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFiles);
    dialog->setNameFilters(
        {"Reports (*.sqlite *.nsys-rep *.json *.json.gz *.json.zst *.gz *.zst *.lockstep)", "All files (*)"});
    connect(dialog, &QFileDialog::filesSelected, this, [this, dialog](const QStringList& files) {
        m_settings.setLastFolder(dialog->directory().absolutePath());
        std::vector<std::filesystem::path> paths;
        for (const QString& file : files)
            paths.emplace_back(file.toStdString());
        open(paths);
    });
    dialog->open();
}

void MainWindow::askForFolder()
{
    auto* const dialog = new QFileDialog(this, "Open a folder of reports", m_settings.lastFolder());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& folder) {
        m_settings.setLastFolder(folder);
        open({folder.toStdString()});
    });
    dialog->open();
}

void MainWindow::openDemo()
{
    const QString cache = QStandardPaths::writableLocation(QStandardPaths::CacheLocation);
    m_demoJob.start([folder = std::filesystem::path(cache.toStdString()) / "demo"](const Progress&) {
        return writeDemoReports(folder);
    });
}

void MainWindow::takeDemo(const Result<std::vector<std::filesystem::path>>& paths)
{
    if (paths) {
        m_controller.open(*paths);
    } else {
        m_start->setMessage(QString::fromStdString(paths.error().message));
    }
}

void MainWindow::fillRecentMenu()
{
    m_recentMenu->clear();
    const auto addRecentAction = [this](const std::filesystem::path& path) {
        QString name = QString::fromStdString(path.string());
        std::error_code ignored;
        QAction* const action =
            m_recentMenu->addAction(name.replace('&', "&&"), this, [this, path] { open({path}); });
        action->setEnabled(std::filesystem::exists(path, ignored));
    };
    for (const auto& path : m_settings.recentWorkspaces())
        addRecentAction(path);
    m_recentMenu->addSeparator();
    for (const auto& path : m_settings.recent())
        addRecentAction(path);
    if (m_settings.recent().empty() && m_settings.recentWorkspaces().empty())
        m_recentMenu->addAction("Nothing was opened yet")->setEnabled(false);
    m_recentMenu->addSeparator();
    m_recentMenu->addAction("Forget these", this, [this] {
        m_settings.clearRecent();
        showRecent();
    });
}

void MainWindow::showRecent()
{
    m_start->setRecent(m_settings.recentWorkspaces(), m_settings.recent());
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event)
{
    if (droppedPaths(*event->mimeData()).empty()) return;
    event->setDropAction(Qt::CopyAction);
    event->accept();
    m_drop->appear();
}

void MainWindow::dragLeaveEvent(QDragLeaveEvent* event)
{
    m_drop->hide();
    QMainWindow::dragLeaveEvent(event);
}

void MainWindow::dropEvent(QDropEvent* event)
{
    m_drop->hide();
    event->setDropAction(Qt::CopyAction);
    event->accept();
    open(droppedPaths(*event->mimeData()));
}

} // namespace lockstep
