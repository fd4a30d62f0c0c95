// SPDX-License-Identifier: Apache-2.0
// MainWindow: composes a window: it owns what pages, panels and controllers share, has them made, and hands
// them scenes and themes. What they do is theirs. UI thread.
#pragma once

#include <memory>

#include <QMainWindow>
#include <QUndoStack>

#include "app/actions.h"
#include "app/key_controller.h"
#include "app/look.h"
#include "app/open_controller.h"
#include "app/panel_docks.h"
#include "app/recovery_controller.h"
#include "app/save_controller.h"
#include "ui/models/mark_store.h"
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
class StatusLine;
class TopStrip;
class TourController;

class MainWindow : public QMainWindow {
    Q_OBJECT

  public:
    // systemIsDark: what ThemeChoice::system means on this desktop. settings outlive the window.
    // memory outlives it too. runOptions: how hosts are reached; from the environment unless a test brings
    // its own.
    MainWindow(Settings& settings, bool systemIsDark, const Workers& workers, MemoryBudget& memory,
               RunController::MakeOptions runOptions = {});
    ~MainWindow() override;

    void open(const std::vector<std::filesystem::path>& paths) { m_opening.open(paths); }
    // Goes to a time or a link, see GoToController, once all that is being opened is there.
    void goToOnceOpen(const QString& place);
    LiveController& live() { return *m_live; }
    DemoController& demo() { return *m_demo; }
    HelpController& help() { return *m_help; }
    TourController& tour() { return *m_tour; }
    Look& look() { return m_look; }
    KeyController& keys() { return m_keys; }
    // Puts the docks to their sizes in a new window: for the window's present size.
    void arrangeDocks() { m_docks.arrange(); }
    // Nothing loads, is computed or fetched: what is on screen stays.
    bool isSettled() const;
    // The jobs under way, for a log: "opening 3 files, Kernels". "" for none.
    QString whatRuns() const;
    // From now on what is not saved outlives the program, and what an earlier one left is offered.
    void keepUnsaved(const RecoveryController::Folders& folders = {});
    // The program ends in order.
    void end();

  protected:
    void closeEvent(QCloseEvent* event) override;
    bool focusNextPrevChild(bool isNext) override;

  private:
    void arrangeParts();
    void tellFlaws();
    void makeMenus();
    void connectActions();
    void showScene();
    void showTheme(const Theme& theme);
    void giveKeys();
    void restoreLayout();
    void showAbout();
    bool mayClose();

    Settings& m_settings;
    Look m_look; // first: the others measure themselves by its font
    ActionTable m_actions;
    KeyController m_keys;
    WorkspaceController m_reports;
    ViewState m_view;
    QUndoStack m_undo;
    MarkStore m_marks; // its steps are in m_undo
    NoticeBar* m_notice;
    TopStrip* m_strip;
    StatusLine* m_status;
    CommandPalette* m_palette = nullptr;
    HelpController* m_help = nullptr;
    TourController* m_tour = nullptr;
    DropOverlay* m_drop;
    FocusRing* m_ring = nullptr; // once Tab was pressed
    OpenController m_opening;
    PanelDocks m_docks;
    PageStack* m_pages;
    const WindowParts m_parts;
    std::unique_ptr<SaveController> m_save;         // after the pages
    std::unique_ptr<RecoveryController> m_recovery; // nullptr: nothing is kept
    std::unique_ptr<LiveController> m_live;         // too
    std::unique_ptr<DemoController> m_demo;         // too
    QString m_goTo;                                 // once everything is open; empty: nowhere
    bool m_isLeaving = false;                       // every question was answered
};

} // namespace lockstep
