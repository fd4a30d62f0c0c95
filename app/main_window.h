// MainWindow: the frame around the pages: menus, the strip with breadcrumb and search, docks for reports,
// details, kernels and notes, the status line, and the central start page or timeline. It connects panels to
// the WorkspaceController and the timeline; what they do is theirs. UI thread.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include <QMainWindow>
#include <QTimer>

#include "app/actions.h"
#include "app/name_search.h"
#include "app/settings.h"
#include "app/workspace_controller.h"
#include "core/readers/reader.h"
#include "ui/models/zoom_trail.h"
#include "ui/style/theme.h"

class QDockWidget;
class QStackedWidget;

namespace lockstep {

class DetailsPanel;
class DropOverlay;
class KernelPanel;
class NotesPanel;
class ReportsPanel;
class SessionPage;
class StartPage;
class StatusLine;
class TimelineView;
class TopStrip;

class MainWindow : public QMainWindow {
    Q_OBJECT

  public:
    // systemIsDark: what ThemeChoice::system means on this desktop. settings outlive the window.
    MainWindow(Settings& settings, bool systemIsDark);
    ~MainWindow() override;

    void open(const std::vector<std::filesystem::path>& paths);
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
    TopStrip* topStrip() const { return m_strip; }
    DropOverlay* dropOverlay() const { return m_drop; }
    SessionPage* sessionPage() const { return m_session; }
    bool isStartPageShown() const;
    bool isSessionPageShown() const;
    // The page takes the whole window; the docks come back with the timeline.
    void showSessionPage();
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
    void enablePageActions();
    bool mayClose();
    void restoreLayout();

    void applyLook();
    void fillRecentMenu();
    void showEntries();
    void showReports();
    void updateStatus();
    void askForFiles();
    void askForFolder();
    void openDemo();
    void goTo(SliceRef slice);
    void activateReport(int key);
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
    std::unique_ptr<ActionTable> m_actions;
    QMenu* m_recentMenu = nullptr;
    TopStrip* m_strip;
    QStackedWidget* m_pages;
    StartPage* m_start;
    TimelineView* m_timeline;
    SessionPage* m_session;
    ReportsPanel* m_reports;
    DetailsPanel* m_details;
    KernelPanel* m_kernels;
    NotesPanel* m_notes;
    StatusLine* m_status;
    DropOverlay* m_drop;
    std::vector<QDockWidget*> m_bottomDocks;
    QDockWidget* m_reportsDock = nullptr;
    QByteArray m_timelineLayout;   // of the docks while the session page hides them; else empty
    bool m_isDraftDropped = false; // the person chose to leave without saving the session
    ZoomTrail m_trail;
    NameSearch m_search;
    QTimer m_viewRest;  // since the visible range last moved
    QTimer m_hoverRest; // since the slice under the cursor last changed
    SliceRef m_hovered;
    LatestJob<SliceDetails> m_hoverJob;
    LatestJob<std::vector<std::filesystem::path>> m_demoJob;
};

} // namespace lockstep
