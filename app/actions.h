// Actions: the one table of what the window can be told to do: menus, shortcuts, the command search and the
// `?` sheet are all made from it. What a command does is connected by the window. UI thread.
#pragma once

#include <map>
#include <span>
#include <vector>

#include <QAction>
#include <QString>

#include "ui/panels/shortcut_sheet.h"

class QMenu;

namespace lockstep {

enum class ActionId : uint8_t {
    openFiles,
    openFolder,
    openDemo,
    saveWorkspace,
    saveWorkspaceAs,
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
    detachRun,
    openResults,
    find,
    findNext,
    findPrevious,
    findLane,
    runCommand,
    fitSelection,
    fitAll,
    showReports,
    foldPanels,
    textLarger,
    textSmaller,
    textReset,
    fullScreen,
    kernelsVisible,
    kernelsSelected,
    kernelsWhole,
    showDetails,
    showNotes,
    showAlignment,
    showIdentities,
    shortcuts,
    saveLog,
    about,
    count
};

struct ActionSpec {
    ActionId id;
    const char* menu; // "File", "Edit" ...
    const char* text;
    const char* keys; // QKeySequence texts separated by spaces; "" for none
    const char* tooltip;
    bool isKeyElsewhere = false; // the keys are handled by the timeline; shown, not registered
    bool startsGroup = false;    // a line above it in its menu
};

// In the order of the menus.
std::span<const ActionSpec> actionSpecs();

// All shortcuts and gestures for the `?` sheet, those of the timeline first.
std::vector<SheetLine> keyLines();

class ActionTable {
  public:
    // Makes one QAction per spec and adds it to owner, which owns it.
    explicit ActionTable(QWidget* owner);

    QAction* at(ActionId id) const { return m_actions.at(id); }
    // Adds the actions of the named menu in order.
    void fill(QMenu& menu, const QString& name) const;
    const std::map<ActionId, QAction*>& all() const { return m_actions; }

  private:
    std::map<ActionId, QAction*> m_actions;
};

} // namespace lockstep
