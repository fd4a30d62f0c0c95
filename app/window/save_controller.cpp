// SPDX-License-Identifier: Apache-2.0
#include "app/window/save_controller.h"

#include <algorithm>

#include <QFileDialog>

#include "app/window/open_controller.h"
#include "app/window/page_stack.h"
#include "app/window/save_question.h"
#include "app/window/timeline_page_controller.h"
#include "core/trace/run_title.h"
#include "ui/panels/notice_bar.h"

namespace lockstep {

SaveController::SaveController(const WindowParts& parts)
    : QObject(&parts.window), m_parts(parts), m_timeline(parts.pages.at<TimelinePageController>()),
      m_saved(parts.document, parts.workers)
{
    connect(parts.actions.at(CommandId::saveWorkspace), &QAction::triggered, this, &SaveController::save);
    connect(parts.actions.at(CommandId::saveWorkspaceAs), &QAction::triggered, this,
            &SaveController::promptForPath);
    WorkspaceController& reports = parts.reports;
    connect(parts.actions.at(CommandId::closeAll), &QAction::triggered, this, [this, &reports] {
        settle(tr("Close without saving"), [this, &reports] {
            emit allClosing();
            reports.close(reports.reports().openKeys());
        });
    });
    connect(&reports.reports(), &ReportList::changed, this, &SaveController::noteReports);
    connect(&reports, &WorkspaceController::workspaceOpened, this, &SaveController::handleOpened);
    connect(&m_saved, &SavedWorkspace::changed, this, &SaveController::showTitle);
    connect(&m_saved, &SavedWorkspace::progressed, this, &SaveController::showSaving);
    connect(&m_saved, &SavedWorkspace::finished, this, &SaveController::handleSaved);
    connect(&m_parts.reports, &WorkspaceController::sceneChanged, this, &SaveController::showTitle);
    // Live data changes the scene, but not the list of reports.
    connect(&m_parts.reports, &WorkspaceController::sceneChanged, this, &SaveController::noteReports);
    showTitle();
    noteReports();
}

void SaveController::showTitle()
{
    QWidget& window = m_parts.window;
    QString name = m_saved.name();
    if (m_saved.path().empty()) {
        name = QString::fromStdString(runTitle(m_parts.reports.scene()->open));
        if (m_saved.needsSaving())
            name = name.isEmpty() ? tr("Unsaved workspace") : tr("%1, unsaved").arg(name);
    }
    window.setWindowTitle(name.isEmpty() ? "Lockstep" : name + "[*] \u2014 Lockstep");
    window.setWindowModified(m_saved.needsSaving());
    window.setWindowFilePath(QString::fromStdString(m_saved.path().string()));
}

void SaveController::save()
{
    if (m_saved.path().empty()) return promptForPath();
    saveTo(m_saved.path());
}

// Returns the obstacle, unless there are reports that can be saved.
QString SaveController::obstacle() const
{
    return m_obstacle && !m_parts.reports.reports().hasOpen() ? m_obstacle() : QString();
}

void SaveController::promptForPath()
{
    if (const QString why = obstacle(); !why.isEmpty()) {
        m_afterSaving = {};
        return m_parts.notice.showNotice(NoticeBar::Tone::quiet, why);
    }
    auto* const dialog = new QFileDialog(&m_parts.window, tr("Save workspace"),
                                         m_parts.settings.value("open/folder").toString());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setNameFilters({tr("Lockstep workspaces (*.lockstep)"), tr("All files (*)")});
    dialog->setDefaultSuffix("lockstep");
    dialog->selectFile(m_saved.path().empty() ? "workspace.lockstep" : m_saved.name());
    connect(dialog, &QFileDialog::fileSelected, this, [this, dialog](const QString& file) {
        m_parts.settings.remember("open/folder", dialog->directory().absolutePath());
        saveTo(file.toStdString());
    });
    connect(dialog, &QDialog::rejected, this, [this] { m_afterSaving = {}; });
    dialog->open();
}

SaveJob::Sections SaveController::currentSections() const
{
    std::map<ReportKey, ReportKey> positions;
    for (const ReportKey key : m_parts.reports.reports().openKeys())
        positions.emplace(key, ReportKey(positions.size()));
    Work work = m_parts.document.work().renumbered(positions);
    m_timeline.addTo(work);
    return sectionsOf(work, m_unread);
}

void SaveController::saveTo(const std::filesystem::path& path)
{
    m_saved.save(path, m_parts.reports.reports().openReports(), currentSections());
    showSaving();
}

void SaveController::showSaving()
{
    const QString name = QString::fromStdString(m_saved.savingTo().filename().string());
    m_parts.notice.showProgress(tr("Saving %1").arg(name), m_saved.fraction(), [this] { m_saved.cancel(); });
}

void SaveController::handleSaved(const std::filesystem::path& path, const Status& outcome)
{
    const std::function<void()> next = std::exchange(m_afterSaving, {});
    if (outcome) {
        m_parts.notice.clear();
        m_parts.opening.recent().addWorkspace(path);
        if (next) next();
    } else if (outcome.error().kind == ErrorKind::canceled) {
        m_parts.notice.clear();
    } else {
        m_parts.notice.showNotice(
            NoticeBar::Tone::bad,
            tr("%1. The previous content of the file is unchanged.").arg(outcome.error().message.c_str()),
            {{tr("Try again"), [this, path] { saveTo(path); }},
             {tr("Save elsewhere\u2026"), [this] { promptForPath(); }},
             {tr("Dismiss"), [] {}}},
            outcome.error().help);
    }
}

// Reports in no list count as well, unless the file replaces them.
bool SaveController::coversAllReports(const std::vector<ReportKey>& keys) const
{
    if (m_keepsWorkFor.empty() && m_obstacle && !m_obstacle().isEmpty()) return false;
    return std::ranges::all_of(m_parts.reports.reports().entries(), [&](const ReportEntry& entry) {
        return std::ranges::find(keys, entry.key) != keys.end();
    });
}

void SaveController::handleOpened(const std::filesystem::path& path,
                                  const std::map<std::string, std::string>& sections,
                                  const std::vector<ReportKey>& keys)
{
    m_parts.opening.recent().addWorkspace(path);
    const QString name = QString::fromStdString(path.filename().string());
    ReadWork read = readWork(sections, keys.size(), preservedWork());
    reportNotes(name, read.notes);
    if (path != m_keepsWorkFor) m_keepsWorkFor.clear();
    const bool restores = coversAllReports(keys);
    const bool keepsWork = !std::exchange(m_keepsWorkFor, {}).empty();
    if (restores) {
        Work kept = m_parts.document.work();
        Work shown;
        m_timeline.addTo(shown);
        kept.selected = shown.selected;
        // A view that followed the newest data was not chosen by the user.
        if (!m_timeline.isFollowing()) kept.visible = shown.visible;
        restore(std::move(read.work), read.unread, keys, true);
        if (keepsWork) addWork(kept, m_parts.document.work());
        return m_saved.setFile(path, sections);
    }
    append(name, tr("add markers of %1").arg(name), read.work.marks);
    m_parts.notice.showNotice(
        NoticeBar::Tone::quiet,
        tr("%1 was added to the open reports. Open the workspace by itself to restore its view and "
           "alignment.")
            .arg(name));
}

void SaveController::restoreUnsaved(const SaveJob::Sections& sections, const std::vector<ReportKey>& keys,
                                    const std::map<ReportKey, Identity>& stated, bool isWhole)
{
    const QString name = tr("Recovered work");
    ReadWork read = readWork(sections, keys.size(), preservedWork());
    reportNotes(name, read.notes);
    if (isWhole && coversAllReports(keys)) {
        m_parts.document.adopt([&](Work& work) {
            for (const auto& [key, identity] : stated)
                work.stated[key] = identity;
        });
        restore(std::move(read.work), read.unread, keys, false);
    } else {
        append(name, tr("restore unsaved work"), read.work.marks, stated);
    }
    m_saved.noteChange(true);
}

// Returns the part of the current work that stays if a file has no section for it: lanes and alignment mode.
Work SaveController::preservedWork() const
{
    Work work;
    work.lanes = m_parts.document.work().lanes;
    work.alignment = m_parts.document.work().alignment.renumbered({});
    return work;
}

void SaveController::reportNotes(const QString& name, const std::vector<MessageWithHelp>& notes)
{
    if (notes.empty()) return;
    QStringList texts;
    for (const MessageWithHelp& note : notes)
        texts << QString::fromStdString(note.text);
    const auto withHelp =
        std::ranges::find_if(notes, [](const MessageWithHelp& note) { return note.help != HelpTopic::none; });
    m_parts.notice.showNotice(NoticeBar::Tone::warn, name + ": " + texts.join("; "), {},
                              withHelp == notes.end() ? HelpTopic::none : withHelp->help);
}

// Shows the work of a file. The document already contains the identities set by the user, because they are
// added when the reports are opened.
void SaveController::restore(Work work, const WorkSections& unread, const std::vector<ReportKey>& keys,
                             bool isSaved)
{
    std::map<ReportKey, ReportKey> numbers;
    for (size_t i = 0; i < keys.size(); ++i)
        numbers.emplace(ReportKey(i), keys[i]);
    Work restored = work.renumbered(numbers);
    restored.stated = m_parts.document.work().stated;
    m_unread = unread;
    m_openReports = m_parts.reports.reports().openKeys();
    m_timeline.restore(restored);
    restored.visible = restored.selected = std::nullopt;
    m_parts.document.reset(std::move(restored), isSaved);
}

// Shows the restored work of a file together with the work done before the file was opened. The work of the
// file counts as saved, the kept work does not.
void SaveController::addWork(const Work& kept, const Work& restored)
{
    Work work = restored;
    work.lanes = kept.lanes;
    work.marks = kept.marks; // first, so that notes keep the numbers that the user knows
    work.marks.append(restored.marks);
    const auto takeIfAny = [&](auto member) {
        if (kept.*member != Work().*member) work.*member = kept.*member;
    };
    takeIfAny(&Work::laneSets);
    takeIfAny(&Work::views);
    takeIfAny(&Work::laneQueries);
    takeIfAny(&Work::openedGaps);
    work.selected = kept.selected;
    work.visible = kept.visible;
    m_timeline.restore(work, m_parts.reports.scene()->alignment.utcAtZero_ns);
    work.visible = work.selected = std::nullopt;
    m_parts.document.reset(std::move(work), false);
}

// Adds the markers of a workspace to those of the window, so that no notes are lost.
void SaveController::append(const QString& name, const QString& step, const MarkList& marks,
                            const std::map<ReportKey, Identity>& stated)
{
    size_t without = 0;
    m_parts.document.edit(step, [&](Work& work) {
        without = work.marks.append(marks);
        for (const auto& [key, identity] : stated)
            work.stated[key] = identity;
    });
    if (without > 0)
        reportNotes(name, {{tr("%n marker(s) did not fit", nullptr, static_cast<int>(without)).toStdString(),
                            HelpTopic::none}});
}

void SaveController::noteReports()
{
    const ReportList& list = m_parts.reports.reports();
    const bool isLive = !obstacle().isEmpty();
    m_parts.actions.at(CommandId::closeAll)->setEnabled(!list.entries().empty() || isLive);
    const bool canSave = list.hasOpen() || isLive; // the command states the obstacle
    m_parts.actions.at(CommandId::saveWorkspace)->setEnabled(canSave);
    m_parts.actions.at(CommandId::saveWorkspaceAs)->setEnabled(canSave);
    std::vector<ReportKey> now = list.openKeys();
    if (now == m_openReports) return;
    m_openReports = std::move(now);
    if (!list.entries().empty()) return m_saved.noteChange(false);
    forgetFile();
}

void SaveController::forgetFile()
{
    m_parts.document.reset(preservedWork(), true);
    m_unread.clear();
    m_saved.forget();
}

void SaveController::startNew(const std::function<void()>& then)
{
    settle(tr("Continue without saving"), [this, then] {
        WorkspaceController& reports = m_parts.reports;
        reports.cancelAll();
        reports.close(reports.reports().openKeys());
        std::vector<ReportKey> rest; // reports that could not be opened
        for (const ReportEntry& entry : reports.reports().entries())
            rest.push_back(entry.key);
        for (const ReportKey key : rest)
            reports.dismiss(key);
        forgetFile();
        then();
    });
}

void SaveController::settle(const QString& dropText, const std::function<void()>& then)
{
    if (!m_saved.needsSaving()) return then();
    const QString question = m_saved.path().empty() ? tr("Save changes to the workspace?")
                                                    : tr("Save changes to %1?").arg(m_saved.name());
    promptToSave(
        m_parts.window, question, dropText,
        [this, then] {
            m_afterSaving = then;
            save();
        },
        then);
}

void SaveController::confirmClose(const std::function<void()>& leave)
{
    if (m_saved.isSaving()) {
        m_afterSaving = leave;
    } else {
        settle(tr("Quit without saving"), leave);
    }
}

} // namespace lockstep
