// SPDX-License-Identifier: Apache-2.0
// The table of the window's commands. Menus, shortcuts, the command palette and the shortcut sheet (`?`) are
// built from this table and the key table. The pages, panels and controllers connect handlers to the
// commands. UI thread.
#pragma once

#include <map>
#include <span>
#include <vector>

#include <QAction>
#include <QCoreApplication>
#include <QString>

#include "ui/window/key_map.h"

class QMenu;

namespace lockstep {

enum class ActionId : uint8_t {
    openFiles,
    openFolder,
    openDemo,
    saveWorkspace,
    saveWorkspaceAs,
    recoverUnsaved,
    cancelLoading,
    closeAll,
    quit,
    undo,
    redo,
    showSession,
    showTimeline,
    showRun,
    openSession,
    saveSession,
    saveSessionAs,
    importVerl,
    importOverrides,
    importNrl,
    loadFacts,
    runSession,
    attachRun,
    watchLive,
    detachRun,
    openResults,
    find,
    findNext,
    findPrevious,
    findLane,
    runCommand,
    setMark,
    writeNote,
    goToTime,
    copyLink,
    measure,
    selectNameOnLane,
    selectNameOnRank,
    selectNameEverywhere,
    selectSameOnOtherRanks,
    settings,
    highlightChain,
    criticalPath,
    hideName,
    showHiddenNames,
    compareWith,
    swapHalves,
    unlinkHalves,
    closeComparison,
    fitSelection,
    fitAll,
    showReports,
    foldPanels,
    fullHeight,
    textLarger,
    textSmaller,
    textReset,
    fullScreen,
    kernelsVisible,
    kernelsSelected,
    kernelsWhole,
    showDetails,
    showSelection,
    showNotes,
    showMarks,
    showAnalyses,
    showEvents,
    showFindings,
    showSql,
    showMemory,
    showAlignment,
    showIdentities,
    showChanges,
    help,
    helpHere,
    tour,
    whatsNew,
    shortcuts,
    editKeys,
    saveLog,
    about,
    count
};

struct ActionSpec {
    ActionId id;
    const char* name; // name in the settings; must never change
    const char* menu; // "File", "Edit" ...
    const char* text;
    const char* keys; // QKeySequence texts separated by spaces; "" for none
    const char* tooltip;
    // True if the timeline handles the keys: they are only shown here, not registered as shortcuts.
    bool isTimelineKey = false;
    bool startsGroup = false; // a separator precedes the menu entry
};

// Returns all commands in the order of the menus.
std::span<const ActionSpec> actionSpecs();
// Returns the English menu names in the order of the menu bar.
std::span<const char* const> actionMenus();

// Clears a menu and deletes its submenus, which QMenu::clear() does not delete.
void clearWithSubmenus(QMenu& menu);

class ActionTable {
    Q_DECLARE_TR_FUNCTIONS(lockstep::ActionTable)

  public:
    // Creates one QAction per spec and adds the action to `owner`, which owns the action. The objectName of
    // an action is its English text.
    explicit ActionTable(QWidget* owner);

    QAction* at(ActionId id) const { return m_actions.at(id); }
    // Returns the menus with their actions, in the order of the menu bar. Owned by `owner`.
    const std::vector<QMenu*>& menus() const { return m_menus; }
    // Returns the menu with this English name, for example "File".
    QMenu* menu(const QString& name) const;
    // Assigns the keys and shows them in the menus.
    void setKeys(const KeyMap& keys);
    // Assigns the Save shortcuts to the workspace commands if toWorkspace is true, otherwise to the session
    // commands.
    void assignSaveKeys(bool toWorkspace);

  private:
    std::map<ActionId, QAction*> m_actions;
    std::vector<QMenu*> m_menus;
    KeyMap m_keys;
    bool m_savesWorkspace = true;
};

} // namespace lockstep
