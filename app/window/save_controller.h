// SPDX-License-Identifier: Apache-2.0
// SaveController saves and restores the workspace file, shows the file name in the window's title, and asks
// the user before changes are lost. UI thread; never blocks.
#pragma once

#include <functional>

#include "app/window/saved_workspace.h"
#include "app/window/window_parts.h"
#include "app/window/work_sections.h"
#include "app/window/workspace_controller.h"

namespace lockstep {

class TimelinePageController;

class SaveController : public QObject {
    Q_OBJECT

  public:
    // Construct after adding the pages.
    explicit SaveController(const WindowParts& parts);

    // Writes all open reports and the state of the window, off the UI thread.
    void saveTo(const std::filesystem::path& path);
    const SavedWorkspace& saved() const { return m_saved; }
    // Returns the sections of a workspace file other than the reports.
    SaveJob::Sections currentSections() const;
    // Restores sections and identities that are in no file. `keys` lists the reports to which the sections
    // refer, in order. If isWhole is false (a report is missing), restores only markers and identities.
    void restoreUnsaved(const SaveJob::Sections& sections, const std::vector<ReportKey>& keys,
                        const std::map<ReportKey, Identity>& stated, bool isWhole);
    // Returns why the workspace cannot be saved although reports are shown, or an empty string. For reports
    // in no list, such as those of a watched run. The function must not outlive its owner.
    using Obstacle = std::function<QString()>;
    void setObstacle(Obstacle obstacle) { m_obstacle = std::move(obstacle); }
    // Call before the workspace `path` is opened that replaces reports in no list: the marks, notes, lane
    // layouts, saved views, query lanes, expanded gaps and the selected range of the window are then added to
    // the content of the workspace, as unsaved changes.
    void keepWorkFor(const std::filesystem::path& path) { m_keepsWorkFor = path; }
    // Asks whether to save if there are changes. Then closes all reports, starts an empty workspace without a
    // file, and calls `then`.
    void startNew(const std::function<void()>& then);
    // Returns true if quitting would lose changes or interrupt a save.
    bool isModified() const { return m_saved.needsSaving() || m_saved.isSaving(); }
    // If a save is running, waits for its end without blocking; otherwise asks the user whether to save.
    // Calls `leave` once nothing can be lost.
    void confirmClose(const std::function<void()>& leave);

  signals:
    void allClosing(); // the user closes all reports; nothing is closed yet

  private:
    // Asks whether to save if there are changes, and calls `then` once nothing can be lost. dropText is the
    // label of the button that discards the changes, for example "Quit without saving".
    void settle(const QString& dropText, const std::function<void()>& then);
    void save();
    void promptForPath();
    QString obstacle() const;
    void showTitle();
    void showSaving();
    void handleSaved(const std::filesystem::path& path, const Status& outcome);
    void handleOpened(const std::filesystem::path& path, const std::map<std::string, std::string>& sections,
                      const std::vector<ReportKey>& keys);
    Work preservedWork() const;
    bool coversAllReports(const std::vector<ReportKey>& keys) const;
    void restore(Work work, const WorkSections& unread, const std::vector<ReportKey>& keys, bool isSaved);
    void append(const QString& name, const QString& step, const MarkList& marks,
                const std::map<ReportKey, Identity>& stated = {});
    void reportNotes(const QString& name, const std::vector<MessageWithHelp>& notes);
    void noteReports();
    void forgetFile();
    void addWork(const Work& kept, const Work& restored);

    WindowParts m_parts;
    TimelinePageController& m_timeline;
    SavedWorkspace m_saved;
    WorkSections m_unread;                // sections of the file that this build cannot read
    std::vector<ReportKey> m_openReports; // the open reports when last checked
    std::function<void()> m_afterSaving;  // runs once the workspace is saved
    Obstacle m_obstacle;
    std::filesystem::path m_keepsWorkFor; // see keepWorkFor()
};

} // namespace lockstep
