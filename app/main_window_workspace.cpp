// MainWindow: the workspace as a file: saving, what comes back with it, its name in the title, and asking
// before changes are lost.
#include <QFileDialog>
#include <QMessageBox>
#include <QPushButton>

#include "app/main_window.h"
#include "ui/panels/notice_bar.h"
#include "ui/panels/start_page.h"
#include "ui/session/session_page.h"
#include "ui/timeline/timeline_view.h"

namespace lockstep {

void MainWindow::connectWorkspace()
{
    connect(m_actions->at(ActionId::saveWorkspace), &QAction::triggered, this, &MainWindow::saveWorkspace);
    connect(m_actions->at(ActionId::saveWorkspaceAs), &QAction::triggered, this,
            &MainWindow::askToSaveWorkspace);
    connect(&m_controller, &WorkspaceController::workspaceOpened, this, &MainWindow::takeWorkspace);
    connect(&m_controller, &WorkspaceController::alignmentChanged, this,
            [this] { m_saved.noteChange(true); });
    connect(m_timeline, &TimelineView::laneStateChanged, this, [this] {
        if (!m_seenReports.empty()) m_saved.noteChange(false);
    });
    connect(&m_undo, &QUndoStack::indexChanged, this, [this] {
        m_saved.noteChange(true);
        enablePageActions();
    });
    connect(&m_saved, &SavedWorkspace::changed, this, &MainWindow::updateTitle);
    connect(&m_saved, &SavedWorkspace::progressed, this, &MainWindow::showSaving);
    connect(&m_saved, &SavedWorkspace::finished, this, &MainWindow::takeSaved);
    updateTitle();
}

void MainWindow::updateTitle()
{
    const QString name = m_saved.path().empty() && m_saved.needsSaving() ? "Not saved" : m_saved.name();
    setWindowTitle(name.isEmpty() ? "Lockstep" : name + "[*] \u2014 Lockstep");
    setWindowModified(m_saved.needsSaving());
    setWindowFilePath(QString::fromStdString(m_saved.path().string()));
}

void MainWindow::saveWorkspace()
{
    if (m_saved.path().empty()) return askToSaveWorkspace();
    saveWorkspaceTo(m_saved.path());
}

void MainWindow::askToSaveWorkspace()
{
    auto* const dialog = new QFileDialog(this, "Save the workspace", m_settings.lastFolder());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setNameFilters({"Lockstep workspaces (*.lockstep)", "All files (*)"});
    dialog->setDefaultSuffix("lockstep");
    dialog->selectFile(m_saved.path().empty() ? "workspace.lockstep" : m_saved.name());
    connect(dialog, &QFileDialog::fileSelected, this, [this, dialog](const QString& file) {
        m_settings.setLastFolder(dialog->directory().absolutePath());
        saveWorkspaceTo(file.toStdString());
    });
    connect(dialog, &QDialog::rejected, this, [this] { m_afterSaving = {}; });
    dialog->open();
}

void MainWindow::saveWorkspaceTo(const std::filesystem::path& path)
{
    m_saved.save(path, m_controller.reports().openReports(),
                 {{kWindowSection, windowStateText(stateToSave())}});
    showSaving();
}

void MainWindow::showSaving()
{
    const QString name = QString::fromStdString(m_saved.savingTo().filename().string());
    m_notice->showProgress("Saving " + name, m_saved.fraction(), [this] { m_saved.cancel(); });
}

void MainWindow::takeSaved(const std::filesystem::path& path, const Result<bool>& outcome)
{
    const std::function<void()> next = std::exchange(m_afterSaving, {});
    if (outcome) {
        m_notice->clear();
        m_settings.addRecentWorkspace(path);
        showRecent();
        if (next) next();
    } else if (outcome.error().kind == ErrorKind::canceled) {
        m_notice->clear();
    } else {
        m_notice->tell(NoticeBar::Tone::bad,
                       QString::fromStdString(outcome.error().message) +
                           ". What the file held before is untouched.",
                       {{"Try again", [this, path] { saveWorkspaceTo(path); }},
                        {"Save elsewhere\u2026", [this] { askToSaveWorkspace(); }},
                        {"Dismiss", [] {}}});
    }
}

WindowState MainWindow::stateToSave() const
{
    WindowState state;
    std::map<ReportKey, ReportKey> positions;
    for (const ReportEntry& entry : m_controller.reports().entries()) {
        if (entry.state != ReportState::open) continue;
        if (!entry.isShown) state.hiddenReports.insert(positions.size());
        positions.emplace(entry.key, ReportKey(positions.size()));
    }
    state.alignment = m_controller.alignmentChoice().renumbered(positions);
    if (!m_controller.scene()->shown.isEmpty()) state.visible = m_timeline->visibleRange();
    state.selected = m_timeline->selectedRange();
    state.lanes = m_timeline->laneState();
    return state;
}

void MainWindow::takeWorkspace(const std::filesystem::path& path,
                               const std::map<std::string, std::string>& sections,
                               const std::vector<ReportKey>& keys)
{
    m_settings.addRecentWorkspace(path);
    showRecent();
    const bool isAlone = std::ranges::all_of(m_controller.reports().entries(), [&](const ReportEntry& entry) {
        return std::ranges::find(keys, entry.key) != keys.end();
    });
    const QString name = QString::fromStdString(path.filename().string());
    if (!isAlone) {
        m_notice->tell(NoticeBar::Tone::quiet, name +
                                                   " was added to what is open. Its own view and alignment "
                                                   "come back when it is opened alone.");
        return;
    }
    const auto section = sections.find(kWindowSection);
    if (section != sections.end()) {
        const Result<WindowState> state = parseWindowState(section->second, keys.size());
        if (state) {
            restoreWindow(*state, keys);
        } else {
            m_notice->tell(NoticeBar::Tone::warn,
                           name + ": " + QString::fromStdString(state.error().message));
        }
    }
    m_undo.clear();
    m_seenReports = reportsNow();
    m_saved.setFile(path, sections);
}

void MainWindow::restoreWindow(const WindowState& state, const std::vector<ReportKey>& keys)
{
    std::map<ReportKey, ReportKey> numbers;
    for (size_t i = 0; i < keys.size(); ++i)
        numbers.emplace(ReportKey(i), keys[i]);
    m_controller.setAlignment(state.alignment.renumbered(numbers));
    std::vector<ReportKey> hidden;
    for (const size_t report : state.hiddenReports)
        hidden.push_back(keys[report]);
    if (!hidden.empty()) m_controller.setShown(hidden, false);
    m_timeline->setLaneState(state.lanes);
    m_viewToRestore = state;
}

// The view comes back once the axis is as it was.
void MainWindow::restoreView()
{
    if (!m_viewToRestore || m_controller.isBusy()) return;
    const WindowState state = *std::exchange(m_viewToRestore, std::nullopt);
    m_timeline->selectRange(state.selected);
    if (state.visible) m_timeline->zoomTo(*state.visible);
}

std::vector<std::pair<ReportKey, bool>> MainWindow::reportsNow() const
{
    std::vector<std::pair<ReportKey, bool>> reports;
    for (const ReportEntry& entry : m_controller.reports().entries()) {
        if (entry.state == ReportState::open) reports.emplace_back(entry.key, entry.isShown);
    }
    return reports;
}

void MainWindow::noteReports()
{
    std::vector<std::pair<ReportKey, bool>> now = reportsNow();
    if (now == m_seenReports) return;
    m_seenReports = std::move(now);
    if (m_controller.reports().entries().empty()) {
        m_undo.clear();
        m_saved.forget();
    } else {
        m_saved.noteChange(false);
    }
}

// Asks whether to save first; `then` runs when nothing can be lost any more, or at once where nothing can.
void MainWindow::settleWorkspace(const QString& deed, const std::function<void()>& then)
{
    if (!m_saved.needsSaving()) return then();
    const QString what = m_saved.path().empty() ? "The workspace" : m_saved.name();
    ask(
        what + " was changed and is not saved.", deed + " without saving",
        [this, then] {
            m_afterSaving = then;
            saveWorkspace();
        },
        then);
}

void MainWindow::ask(const QString& text, const QString& dropText, const std::function<void()>& save,
                     const std::function<void()>& drop)
{
    auto* const box = new QMessageBox(QMessageBox::Warning, "Lockstep", text, QMessageBox::NoButton, this);
    box->setAttribute(Qt::WA_DeleteOnClose);
    const QPushButton* const saveButton = box->addButton("Save", QMessageBox::AcceptRole);
    const QPushButton* const dropButton = box->addButton(dropText, QMessageBox::DestructiveRole);
    box->addButton("Stay", QMessageBox::RejectRole);
    connect(box, &QMessageBox::buttonClicked, this,
            [save, drop, saveButton, dropButton](const QAbstractButton* button) {
                if (button == saveButton) save();
                if (button == dropButton) drop();
            });
    box->open();
}

// Asks about a session and a workspace that no file holds; the window closes, if at all, by the answers.
bool MainWindow::mayClose()
{
    if (m_isLeaving) return true;
    const auto leave = [this] {
        m_isLeaving = true;
        close();
    };
    if (m_session->draft().isModified()) {
        ask(
            "The session was changed and is not saved.", "Leave without saving",
            [this] {
                showSessionPage();
                m_session->save();
            },
            [this, leave] { settleWorkspace("Leave", leave); });
        return false;
    }
    if (!m_saved.needsSaving() && !m_saved.isSaving()) return true;
    if (m_saved.isSaving()) {
        m_afterSaving = leave;
    } else {
        settleWorkspace("Leave", leave);
    }
    return false;
}

} // namespace lockstep
