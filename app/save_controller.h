// SPDX-License-Identifier: Apache-2.0
// SaveController: the workspace as a file: saving it, what comes back with one, its name in the window's
// title, and asking before changes are lost. UI thread; nothing here blocks it.
#pragma once

#include <functional>

#include "app/saved_workspace.h"
#include "app/window_parts.h"
#include "app/window_state.h"
#include "app/workspace_controller.h"

namespace lockstep {

class TimelinePageController;

class SaveController : public QObject {
    Q_OBJECT

  public:
    // The pages were added before.
    explicit SaveController(const WindowParts& parts);

    // Writes all open reports and the state of the window, off the UI thread.
    void saveTo(const std::filesystem::path& path);
    const SavedWorkspace& saved() const { return m_saved; }
    // What a workspace file would hold beside the reports.
    SaveJob::Sections sectionsNow() const;
    // Such sections come back without a file that holds them. keys: of the reports that they speak of, in
    // that order; isWhole: none is missing, else marks alone come back.
    void takeUnsaved(const SaveJob::Sections& sections, const std::vector<ReportKey>& keys, bool isWhole);
    // Leaving would lose something, or stop a saving.
    bool isModified() const { return m_saved.needsSaving() || m_saved.isSaving(); }
    // Waits for a saving, else asks whether to save; `leave` runs when nothing can be lost any more.
    void askBeforeLeaving(const std::function<void()>& leave);

  private:
    // Asks whether to save first; `then` runs when nothing can be lost any more, at once where nothing can.
    // dropText: the button that does without saving, "Leave without saving".
    void settle(const QString& dropText, const std::function<void()>& then);
    void save();
    void askWhere();
    void showTitle();
    void showSaving();
    void takeSaved(const std::filesystem::path& path, const Status& outcome);
    void takeOpened(const std::filesystem::path& path, const std::map<std::string, std::string>& sections,
                    const std::vector<ReportKey>& keys);
    WindowState stateNow() const;
    bool isAllThereIs(const std::vector<ReportKey>& keys) const;
    void takeWindow(const QString& name, const SaveJob::Sections& sections,
                    const std::vector<ReportKey>& keys);
    void restore(const WindowState& state, const std::vector<ReportKey>& keys);
    void noteReports();
    void noteStep(int index);
    void takeViews(const QString& name, const SaveJob::Sections& sections);
    void takeMarks(const QString& name, SaveJob::Sections& sections, bool isAlone);

    WindowParts m_parts;
    TimelinePageController& m_timeline;
    SavedWorkspace m_saved;
    std::vector<std::pair<ReportKey, bool>> m_seen; // open reports and whether shown, as last noted
    int m_step = 0;                                 // of the undo stack, as last noted
    std::function<void()> m_afterSaving;            // what the user wants to do once the workspace is saved
};

} // namespace lockstep
