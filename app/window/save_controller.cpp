// SPDX-License-Identifier: Apache-2.0
#include "app/window/save_controller.h"

#include <algorithm>

#include <QFileDialog>
#include <QUndoStack>

#include "app/window/lane_edit.h"
#include "app/window/lane_sets_controller.h"
#include "app/window/open_controller.h"
#include "app/window/page_stack.h"
#include "app/window/save_question.h"
#include "app/window/timeline_page_controller.h"
#include "app/window/views_controller.h"
#include "core/trace/run_title.h"
#include "ui/models/mark_store.h"
#include "ui/panels/notice_bar.h"

namespace lockstep {

namespace {

// Returns the keys of the open reports, each with its visibility, in the form that a workspace file stores.
std::vector<std::pair<ReportKey, bool>> reportVisibility(const ReportList& list)
{
    std::vector<std::pair<ReportKey, bool>> reports;
    for (const ReportEntry& entry : list.entries()) {
        if (entry.state == ReportState::open) reports.emplace_back(entry.key, entry.isShown);
    }
    return reports;
}

constexpr const char* kUnreadMarks = "marks, not read";

} // namespace

SaveController::SaveController(const WindowParts& parts)
    : QObject(&parts.window), m_parts(parts), m_timeline(parts.pages.at<TimelinePageController>()),
      m_saved(parts.workers)
{
    connect(parts.actions.at(CommandId::saveWorkspace), &QAction::triggered, this, &SaveController::save);
    connect(parts.actions.at(CommandId::saveWorkspaceAs), &QAction::triggered, this,
            &SaveController::promptForPath);
    WorkspaceController& reports = parts.reports;
    connect(parts.actions.at(CommandId::closeAll), &QAction::triggered, this, [this, &reports] {
        settle(tr("Close without saving"), [&reports] { reports.close(reports.reports().openKeys()); });
    });
    connect(&reports.reports(), &ReportList::changed, this, &SaveController::noteReports);
    connect(&reports, &WorkspaceController::workspaceOpened, this, &SaveController::handleOpened);
    connect(&reports, &WorkspaceController::alignmentChanged, this, [this] { m_saved.noteStep(true); });
    connect(&parts.undo, &QUndoStack::indexChanged, this, &SaveController::noteStep);
    connect(&m_timeline, &TimelinePageController::laneStateChanged, this, [this] {
        if (!m_seen.empty()) m_saved.noteStep(false);
    });
    connect(&m_timeline.views(), &ViewsController::changed, this, [this] { m_saved.noteChange(true); });
    connect(&m_timeline.laneSets(), &LaneSetsController::changed, this, [this] { m_saved.noteStep(true); });
    connect(&m_saved, &SavedWorkspace::changed, this, &SaveController::showTitle);
    connect(&m_saved, &SavedWorkspace::progressed, this, &SaveController::showSaving);
    connect(&m_saved, &SavedWorkspace::finished, this, &SaveController::handleSaved);
    connect(&m_parts.reports, &WorkspaceController::sceneChanged, this, &SaveController::showTitle);
    showTitle();
    noteReports();
}

// A change of the lane layout alone does not make the window ask before closing.
void SaveController::noteStep(int index)
{
    const int changed = std::min(std::exchange(m_step, index), index);
    const QUndoCommand* const step = m_parts.undo.command(changed);
    // `step` is nullptr if a lane change was reverted or the stack was cleared.
    m_saved.noteStep(step != nullptr && step->id() != LaneEdit::kId);
    if (step != nullptr && m_parts.undo.isClean()) m_saved.noteStepsUndone();
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

void SaveController::promptForPath()
{
    auto* const dialog =
        new QFileDialog(&m_parts.window, tr("Save workspace"), m_parts.settings.lastFolder());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setNameFilters({tr("Lockstep workspaces (*.lockstep)"), tr("All files (*)")});
    dialog->setDefaultSuffix("lockstep");
    dialog->selectFile(m_saved.path().empty() ? "workspace.lockstep" : m_saved.name());
    connect(dialog, &QFileDialog::fileSelected, this, [this, dialog](const QString& file) {
        m_parts.settings.setLastFolder(dialog->directory().absolutePath());
        saveTo(file.toStdString());
    });
    connect(dialog, &QDialog::rejected, this, [this] { m_afterSaving = {}; });
    dialog->open();
}

SaveJob::Sections SaveController::currentSections() const
{
    SaveJob::Sections sections{{kWindowSection, windowStateText(currentState())},
                               {kMarksSection, marksText(m_parts.marks.marks())}};
    // If there are no views, keep the section unchanged, because a newer Lockstep may have written it.
    const StoredViews& views = m_timeline.views().views();
    const bool hasViews = std::ranges::any_of(views, [](const auto& view) { return view.has_value(); });
    if (hasViews) sections[kViewsSection] = storedViewsText(views);
    if (m_timeline.laneSets().isForFile())
        sections[kLaneSetsSection] = laneSetsText(m_timeline.laneSets().sets());
    return sections;
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
        m_saved.isModified() ? m_parts.undo.resetClean() : m_parts.undo.setClean();
        m_parts.notice.clear();
        m_parts.opening.recent().addWorkspace(path);
        if (next) next();
    } else if (outcome.error().kind == ErrorKind::canceled) {
        m_parts.notice.clear();
    } else {
        m_parts.notice.tell(
            NoticeBar::Tone::bad,
            tr("%1. The previous content of the file is unchanged.").arg(outcome.error().message.c_str()),
            {{tr("Try again"), [this, path] { saveTo(path); }},
             {tr("Save elsewhere\u2026"), [this] { promptForPath(); }},
             {tr("Dismiss"), [] {}}},
            outcome.error().help);
    }
}

WindowState SaveController::currentState() const
{
    WindowState state;
    std::map<ReportKey, ReportKey> positions;
    for (const auto& [key, isShown] : reportVisibility(m_parts.reports.reports())) {
        if (!isShown) state.hiddenReports.insert(positions.size());
        positions.emplace(key, ReportKey(positions.size()));
    }
    state.alignment = m_parts.reports.alignmentChoice().renumbered(positions);
    m_timeline.addTo(state);
    return state;
}

bool SaveController::coversAllReports(const std::vector<ReportKey>& keys) const
{
    return std::ranges::all_of(m_parts.reports.reports().entries(), [&](const ReportEntry& entry) {
        return std::ranges::find(keys, entry.key) != keys.end();
    });
}

void SaveController::handleOpened(const std::filesystem::path& path,
                                  const std::map<std::string, std::string>& sections,
                                  const std::vector<ReportKey>& keys)
{
    m_parts.opening.recent().addWorkspace(path);
    const bool isAlone = coversAllReports(keys);
    const QString name = QString::fromStdString(path.filename().string());
    SaveJob::Sections kept = sections;
    restoreMarks(name, kept, isAlone);
    if (!isAlone) {
        return m_parts.notice.tell(
            NoticeBar::Tone::quiet,
            tr("%1 was added to the open reports. Open the workspace by itself to restore its view and "
               "alignment.")
                .arg(name));
    }
    restoreWindow(name, sections, keys);
    m_saved.setFile(path, kept);
}

void SaveController::restoreUnsaved(const SaveJob::Sections& sections, const std::vector<ReportKey>& keys,
                                    bool isWhole)
{
    const bool isAlone = coversAllReports(keys);
    const QString name = tr("Recovered work");
    SaveJob::Sections kept = sections;
    restoreMarks(name, kept, isAlone);
    if (isAlone && isWhole) restoreWindow(name, sections, keys);
    m_saved.noteChange(true);
}

void SaveController::restoreWindow(const QString& name, const SaveJob::Sections& sections,
                                   const std::vector<ReportKey>& keys)
{
    const auto section = sections.find(kWindowSection);
    if (section != sections.end()) {
        const Result<WindowState> state = parseWindowState(section->second, keys.size());
        if (state) {
            restore(*state, keys);
        } else {
            m_parts.notice.tell(NoticeBar::Tone::warn,
                                name + ": " + QString::fromStdString(state.error().message), {},
                                state.error().help);
        }
    }
    restoreViews(name, sections);
    m_parts.undo.clear();
    m_seen = reportVisibility(m_parts.reports.reports());
}

// Restores the saved views and lane layouts.
void SaveController::restoreViews(const QString& name, const SaveJob::Sections& sections)
{
    // Returns nullopt if there is no such section or it cannot be read.
    const auto read = [&](const char* section, const auto& parse, const auto& lossText) {
        size_t dropped = 0;
        const auto found = sections.find(section);
        auto parsed = parse(found == sections.end() ? std::string_view() : found->second, &dropped);
        std::optional<std::remove_cvref_t<decltype(*parsed)>> out;
        if (found == sections.end()) return out;
        if (!parsed || dropped > 0)
            m_parts.notice.tell(NoticeBar::Tone::warn,
                                name + ": " +
                                    (parsed ? lossText(static_cast<int>(dropped))
                                            : QString::fromStdString(parsed.error().message)),
                                {}, parsed ? HelpTopic::none : parsed.error().help);
        if (parsed) out = *std::move(parsed);
        return out;
    };
    const auto views = read(kViewsSection, parseStoredViews, [](int count) {
        return tr("%n saved view(s) could not be read", nullptr, count);
    });
    m_timeline.views().reset(views.value_or(StoredViews()));
    const auto sets = read(kLaneSetsSection, parseLaneSets, [](int count) {
        return tr("%n lane layout(s) could not be read", nullptr, count);
    });
    m_timeline.laneSets().reset(sets.value_or(LaneSets()), sets.has_value());
}

// Restores the markers of a workspace. A workspace added to open reports appends its markers, so that no
// notes are lost. Markers that this build cannot read stay in the file under another section name.
void SaveController::restoreMarks(const QString& name, SaveJob::Sections& sections, bool isAlone)
{
    const auto section = sections.find(kMarksSection);
    const auto tell = [&](const QString& what, HelpTopic help) {
        m_parts.notice.tell(NoticeBar::Tone::warn, name + ": " + what, {}, help);
    };
    if (section == sections.end() || section->second.empty()) {
        if (isAlone) m_parts.marks.reset({});
        return;
    }
    Result<ReadMarks> read = parseMarks(section->second);
    if (!read) {
        sections[kUnreadMarks] = std::move(section->second);
        sections.erase(section);
        if (isAlone) m_parts.marks.reset({});
        return tell(tr("%1; the markers remain in the file").arg(read.error().message.c_str()),
                    read.error().help);
    }
    QStringList notes;
    for (const std::string& note : read->notes)
        notes << QString::fromStdString(note);
    if (isAlone) {
        m_parts.marks.reset(std::move(read->marks));
    } else if (!read->marks.isEmpty()) {
        const size_t without = m_parts.marks.append(read->marks);
        if (without > 0) notes << tr("%n marker(s) did not fit", nullptr, static_cast<int>(without));
        m_saved.noteChange(true);
    }
    if (!notes.isEmpty()) tell(notes.join("; "), HelpTopic::none);
}

void SaveController::restore(const WindowState& state, const std::vector<ReportKey>& keys)
{
    std::map<ReportKey, ReportKey> numbers;
    for (size_t i = 0; i < keys.size(); ++i)
        numbers.emplace(ReportKey(i), keys[i]);
    m_parts.reports.setAlignment(state.alignment.renumbered(numbers));
    std::vector<ReportKey> hidden;
    for (const size_t report : state.hiddenReports)
        hidden.push_back(keys[report]);
    if (!hidden.empty()) m_parts.reports.setShown(hidden, false);
    m_timeline.restore(state);
}

void SaveController::noteReports()
{
    const ReportList& list = m_parts.reports.reports();
    m_parts.actions.at(CommandId::closeAll)->setEnabled(!list.entries().empty());
    m_parts.actions.at(CommandId::saveWorkspace)->setEnabled(list.hasOpen());
    m_parts.actions.at(CommandId::saveWorkspaceAs)->setEnabled(list.hasOpen());
    std::vector<std::pair<ReportKey, bool>> now = reportVisibility(list);
    if (now == m_seen) return;
    m_seen = std::move(now);
    if (list.entries().empty()) {
        m_parts.undo.clear();
        m_parts.marks.reset({});
        m_timeline.views().reset({});
        m_timeline.laneSets().reset({});
        m_saved.forget();
    } else {
        m_saved.noteChange(false);
    }
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
