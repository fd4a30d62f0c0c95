// SPDX-License-Identifier: Apache-2.0
// MainWindow composes a window: it creates the pages, panels and controllers, owns the objects that they
// share, and passes scenes and themes to them. UI thread.
#pragma once

#include <memory>

#include <QMainWindow>

#include "app/window/command_actions.h"
#include "app/window/key_controller.h"
#include "app/window/look.h"
#include "app/window/open_controller.h"
#include "app/window/panel_docks.h"
#include "app/window/recovery_controller.h"
#include "app/window/save_controller.h"
#include "ui/models/mark_store.h"
#include "ui/window/notices.h"
#include "ui/window/view_state.h"

namespace lockstep {

class CommandPalette;
class DemoController;
class DropOverlay;
class HelpController;
class LiveController;
class FocusRing;
class NoticeBar;
class PageStack;
class RunNavigator;
class StatusLine;
class TopStrip;
class TourController;

class MainWindow : public QMainWindow {
    Q_OBJECT

  public:
    // systemIsDark: true if ThemeChoice::system means the dark theme on this desktop. `settings` and `memory`
    // must outlive the window. runOptions returns the options for reaching hosts; by default, they come from
    // the environment.
    MainWindow(Settings& settings, bool systemIsDark, const Workers& workers, MemoryBudget& memory,
               RunController::MakeOptions runOptions = {});
    ~MainWindow() override;

    void open(const std::vector<std::filesystem::path>& paths) { m_opening.open(paths); }
    // Goes to a time or a link (see GoToController) once no report is still being opened.
    void goToOnceOpen(const QString& place);
    LiveController& live() { return *m_live; }
    DemoController& demo() { return *m_demo; }
    HelpController& help() { return *m_help; }
    TourController& tour() { return *m_tour; }
    Look& look() { return m_look; }
    KeyController& keys() { return m_keys; }
    // Resizes the docks to their defaults for the current window size.
    void arrangeDocks() { m_docks.arrange(); }
    // Returns true if nothing is being loaded, computed or fetched, so that the window no longer changes by
    // itself.
    bool isSettled() const;
    // Returns the running jobs for a log, such as "opening 3 files, Kernels", or an empty string.
    QString runningJobs() const;
    // Starts saving unsaved work in case of a crash, and offers unsaved work from earlier windows.
    void enableRecovery(const RecoveryController::Folders& folders = {});
    // Removes the journal of unsaved work. Call before the program ends normally.
    void end();

  protected:
    void closeEvent(QCloseEvent* event) override;
    bool focusNextPrevChild(bool isNext) override;

  private:
    void arrangeParts();
    void reportDefects();
    void makeMenus();
    void connectActions();
    void showScene();
    void showTheme(const Theme& theme);
    void applyKeys();
    void restoreLayout();
    void keepOnScreen();
    void showAbout();
    void focusByKey(QWidget& stop, Qt::FocusReason reason);
    // Moves the focus to the next or previous of the page and the visible panels, in order.
    void focusPanel(bool isNext);
    bool mayClose();

    Settings& m_settings;
    Look m_look; // first member, because it sets the font with which the other members measure text
    CommandActions m_actions;
    KeyController m_keys;
    WorkDocument m_document;
    WorkspaceController m_reports;
    ViewState m_view;
    Notices m_notices;
    MarkStore m_marks;
    NoticeBar* m_notice;
    TopStrip* m_strip;
    StatusLine* m_status;
    CommandPalette* m_palette = nullptr;
    HelpController* m_help = nullptr;
    TourController* m_tour = nullptr;
    DropOverlay* m_drop;
    FocusRing* m_ring = nullptr; // created when Tab is first pressed
    OpenController m_opening;
    PanelDocks m_docks;
    PageStack* m_pages;
    const WindowParts m_parts;
    std::unique_ptr<SaveController> m_save;         // created after the pages
    std::unique_ptr<RecoveryController> m_recovery; // nullptr if unsaved work is not journaled
    std::unique_ptr<RunNavigator> m_navigator;      // destroyed before the pages
    std::unique_ptr<LiveController> m_live;         // destroyed before the pages
    std::unique_ptr<DemoController> m_demo;         // destroyed before the pages
    QString m_goTo;                                 // target to go to once everything is open; may be empty
    // True if the user has answered all questions that are asked before closing.
    bool m_isLeaving = false;
};

} // namespace lockstep
