// MainWindow: the frame around the pages: menus, the strip with breadcrumb and search, docks for reports,
// details, kernels and notes, the status line, and the central start page or timeline. It connects panels to
// the WorkspaceController and the timeline; what they do is theirs. UI thread.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include <QMainWindow>
#include <QTimer>
#include <QUndoStack>

#include "app/actions.h"
#include "app/name_search.h"
#include "app/run_controller.h"
#include "app/saved_workspace.h"
#include "app/settings.h"
#include "app/window_state.h"
#include "app/workspace_controller.h"
#include "core/readers/reader.h"
#include "ui/models/report_identity_model.h"
#include "ui/models/zoom_trail.h"
#include "ui/style/theme.h"

class QDockWidget;
class QStackedWidget;

namespace lockstep {

class AlignmentPanel;
class DetailsPanel;
class DropOverlay;
class IdentityPanel;
class KernelPanel;
class NoticeBar;
class NotesPanel;
class ReportChoicePage;
class ReportsPanel;
class RunPage;
class SessionPage;
class StartPage;
class StatusLine;
class TimelineView;
class TopStrip;

class MainWindow : public QMainWindow {
    Q_OBJECT

  public:
    // systemIsDark: what ThemeChoice::system means on this desktop. settings outlive the window.
    // runOptions: how hosts are reached; from the environment unless a test brings its own.
    MainWindow(Settings& settings, bool systemIsDark, RunController::MakeOptions runOptions = {});
    ~MainWindow() override;

    void open(const std::vector<std::filesystem::path>& paths);
    // Writes all open reports and the state of the window, off the UI thread.
    void saveWorkspaceTo(const std::filesystem::path& path);
    // The CSV of `--identity`: what it says of the open reports, as one change; and what is known of them.
    void importIdentityFile(const std::filesystem::path& path);
    void exportIdentityFile(const std::filesystem::path& path);
    void setThemeChoice(ThemeChoice choice);
    void setFontScale(double scale);
    // Puts the docks to their sizes in a new window: for the window's present size.
    void arrangeDocks();

    const Theme& theme() const { return *m_theme; }
    const ActionTable& actionTable() const { return *m_actions; }
    WorkspaceController& controller() { return m_controller; }
    TimelineView* timeline() const { return m_timeline; }
    ReportsPanel* reportsPanel() const { return m_reports; }
    DetailsPanel* detailsPanel() const { return m_details; }
    KernelPanel* kernelPanel() const { return m_kernels; }
    NotesPanel* notesPanel() const { return m_notes; }
    AlignmentPanel* alignmentPanel() const { return m_alignment; }
    TopStrip* topStrip() const { return m_strip; }
    DropOverlay* dropOverlay() const { return m_drop; }
    IdentityPanel* identityPanel() const { return m_identity; }
    NoticeBar* noticeBar() const { return m_notice; }
    ReportChoicePage* choicePage() const { return m_choice; }
    SavedWorkspace& savedWorkspace() { return m_saved; }
    // Changes of the workspace made by hand: identities, alignment. The session page has its own.
    QUndoStack& undoStack() { return m_undo; }
    SessionPage* sessionPage() const { return m_session; }
    RunPage* runPage() const { return m_runPage; }
    RunController& runs() { return *m_runs; }
    bool isStartPageShown() const;
    bool isSessionPageShown() const;
    bool isRunPageShown() const;
    // The page takes the whole window; the docks come back with the timeline.
    void showSessionPage();
    void showRunPage();
    void showTimelinePage();
    // Nothing loads, is computed or fetched: what is on screen stays.
    bool isSettled() const;

  protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragLeaveEvent(QDragLeaveEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    void makeMenus();
    void makeThemeMenu(QMenu& view);
    void makePanelMenu(QMenu& view);
    void makeStrip();
    void makeDocks();
    QDockWidget* makeDock(const QString& title, QWidget* panel, Qt::DockWidgetArea area);
    void connectActions();
    void connectController();
    void connectTimeline();
    void connectStrip();
    void connectSession();
    void connectRun();
    void takeRefusal(const QString& reason, bool canForce);
    void askForSecrets(const std::vector<std::string>& names, bool isForced);
    void offerToAttach(const std::vector<KnownRun>& runs);
    void askToAttach();
    void connectAlignment();
    void shiftReports(const std::vector<ReportKey>& reports, Duration by);
    void hideDocks();
    void bringDocksBack();
    void enablePageActions();
    void connectWorkspace();
    void connectChoice();
    void connectIdentity();
    bool mayClose();
    void ask(const QString& text, const QString& dropText, const std::function<void()>& save,
             const std::function<void()>& drop);
    void settleWorkspace(const QString& deed, const std::function<void()>& then);
    void restoreLayout();

    void applyLook();
    void updateTitle();
    void saveWorkspace();
    void askToSaveWorkspace();
    void showSaving();
    void takeSaved(const std::filesystem::path& path, const Status& outcome);
    void takeWorkspace(const std::filesystem::path& path, const std::map<std::string, std::string>& sections,
                       const std::vector<ReportKey>& keys);
    WindowState stateToSave() const;
    void restoreWindow(const WindowState& state, const std::vector<ReportKey>& keys);
    void restoreView();
    std::vector<std::pair<ReportKey, bool>> reportsNow() const;
    void noteReports();

    void stateIdentities(const std::vector<IdentityCell>& cells, const std::string& source,
                         const QString& text);
    void askForIdentityFile();
    void askToWriteIdentityFile();
    void showChoice(const FoundReports& found);
    void leaveChoice();
    void setMemoryPercent(int percent);
    void closeAll();
    void fillRecentMenu();
    void showRecent();
    void showEntries();
    void showProgress();
    void showReports();
    void updateStatus();
    void askForFiles();
    void askForFolder();
    void openDemo();
    void goTo(SliceRef slice);
    void activateReport(ReportKey key);
    void raiseDock(QWidget* panel);
    void foldPanels();
    void settleView();
    void runCommand(const QString& text);
    void fetchHoverText();
    void takeHoverDetails(const Result<SliceDetails>& outcome);
    void takeDemo(const Result<std::vector<std::filesystem::path>>& paths);

    Settings& m_settings;
    const bool m_systemIsDark;
    ThemeChoice m_themeChoice;
    const Theme* m_theme = nullptr;
    WorkspaceController m_controller;
    SavedWorkspace m_saved;
    QUndoStack m_undo;
    std::vector<std::pair<ReportKey, bool>>
        m_seenReports; // keys of open ones and whether shown, as last noted
    std::optional<WindowState> m_viewToRestore;
    std::function<void()> m_afterSaving; // what the user wants to do once the workspace is saved
    std::unique_ptr<ActionTable> m_actions;
    QMenu* m_recentMenu = nullptr;
    TopStrip* m_strip;
    NoticeBar* m_notice;
    QStackedWidget* m_pages;
    StartPage* m_start;
    ReportChoicePage* m_choice;
    TimelineView* m_timeline;
    SessionPage* m_session;
    RunPage* m_runPage;
    ReportsPanel* m_reports;
    DetailsPanel* m_details;
    KernelPanel* m_kernels;
    AlignmentPanel* m_alignment;
    NotesPanel* m_notes;
    IdentityPanel* m_identity;
    StatusLine* m_status;
    DropOverlay* m_drop;
    std::vector<QDockWidget*> m_bottomDocks;
    QDockWidget* m_reportsDock = nullptr;
    QByteArray m_timelineLayout; // of the docks while a page hides them; else empty
    bool m_walkIsTold = false;   // the notice bar shows a folder being looked through
    RunController::MakeOptions m_runOptions;
    bool m_hasOfferedRun = false;
    bool m_isLeaving = false; // every question was answered
    ZoomTrail m_trail;
    NameSearch m_search;
    QTimer m_viewRest;  // since the visible range last moved
    QTimer m_hoverRest; // since the slice under the cursor last changed
    SliceRef m_hovered;
    std::unique_ptr<RunController> m_runs;
    LatestJob<SliceDetails> m_hoverJob;
    LatestJob<std::vector<std::filesystem::path>> m_demoJob;
};

} // namespace lockstep
