// SPDX-License-Identifier: Apache-2.0
// Actions: the one table of what the window can be told to do: menus, shortcuts, the command search and the
// `?` sheet are all made from it and the table of keys. What a command does is connected by the window. UI
// thread.
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
    leftBehind,
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
    sameElsewhere,
    settings,
    lightChain,
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
    const char* name; // of settings: never changed
    const char* menu; // "File", "Edit" ...
    const char* text;
    const char* keys; // QKeySequence texts separated by spaces; "" for none
    const char* tooltip;
    bool isKeyElsewhere = false; // the keys are handled by the timeline; shown, not registered
    bool startsGroup = false;    // a line above it in its menu
};

// In the order of the menus.
std::span<const ActionSpec> actionSpecs();
// In the order of the menu bar.
std::span<const char* const> actionMenus();

// QMenu::clear() leaves the menus below it where they are; this takes them too.
void clearWithSubmenus(QMenu& menu);

class ActionTable {
    Q_DECLARE_TR_FUNCTIONS(lockstep::ActionTable)

  public:
    // Makes one QAction per spec and adds it to owner, which owns it; its objectName is its English text.
    explicit ActionTable(QWidget* owner);

    QAction* at(ActionId id) const { return m_actions.at(id); }
    // In the order of a menu bar; each holds its actions. The owner owns them.
    const std::vector<QMenu*>& menus() const { return m_menus; }
    // "File" is one, in any language.
    QMenu* menu(const QString& name) const;
    // From now on; each command tells its keys.
    void setKeys(const KeyMap& keys);
    // Saving by key saves what is on screen: the workspace, else the session.
    void giveSavingKeys(bool toWorkspace);

  private:
    std::map<ActionId, QAction*> m_actions;
    std::vector<QMenu*> m_menus;
    KeyMap m_keys;
    bool m_savesWorkspace = true;
};

} // namespace lockstep
