// SPDX-License-Identifier: Apache-2.0
// The table of commands: one row for each thing that a user can do in the window, the timeline or the
// selected slice. Menus, the slice menu, the command palette, the key editor, the shortcut sheet and the
// timeline's keys are built from this table. A new command is one row here and one handler:
// CommandActions::at() for commands of the window, TimelineTool::on() for commands of the timeline. Any
// thread.
#pragma once

#include <span>

#include <QString>

#include "ui/window/key_map.h"

namespace lockstep {

enum class CommandId : uint8_t {
    openFiles,
    openFolder,
    openDemo,
    saveWorkspace,
    saveWorkspaceAs,
    recoverUnsaved,
    exportPicture,
    exportAllLanes,
    exportReport,
    exportTrace,
    saveTable,
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
    importScript,
    importConfiguration,
    importOverrides,
    loadFacts,
    runSession,
    attachRun,
    watchLive,
    stopRun,
    detachRun,
    recordServers,
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
    pasteLink,
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
    nextPanel,
    previousPanel,
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
    zoomIn,
    zoomOut,
    panLeft,
    panRight,
    toggleGaps,
    cycleRulerTime,
    undoZoom,
    redoZoom,
    followNewest,
    previousSlice,
    nextSlice,
    previousSameName,
    nextSameName,
    toCause,
    toEffect,
    pinLane,
    moveLaneUp,
    moveLaneDown,
    groupLanes,
    cycleRowHeight,
    saveLaneLayout,
    hideOtherLanes,
    showHiddenLanes,
    collapseAll,
    expandAll,
    laneAbove,
    laneBelow,
    pageUp,
    pageDown,
    toggleLane,
    contextMenu,
    copyName,
    copyRow,
    zoomToSlice,
    showInEvents,
    showInKernels,
    showLog,
    lastArrival,
    compareStep,
    recallView1,
    recallView2,
    recallView3,
    recallView4,
    recallView5,
    recallView6,
    recallView7,
    recallView8,
    recallView9,
    storeView1,
    storeView2,
    storeView3,
    storeView4,
    storeView5,
    storeView6,
    storeView7,
    storeView8,
    storeView9,
    cancel,
    count
};

// The groups of the slice menu, in the order of the menu.
enum class SliceGroup : uint8_t {
    none, // not in the slice menu
    copy,
    sameName, // in the submenu "Select all slices with this name"
    find,
    highlight,
    lane,
    count
};

struct CommandSpec {
    CommandId id;
    const char* name;                      // name in the settings; must never change
    const char* menu = "";                 // "File", "Edit" ...; "" if the command is in no menu
    const char* title = "";                // untranslated, like all texts here; see commandTitle()
    const char* keys = "";                 // default keys: QKeySequence texts separated by spaces
    const char* description = "";          // for tooltips; "" if the title says it all
    KeyScope scope = KeyScope::everywhere; // where the keys work
    bool startsGroup = false;              // a separator precedes the menu entry
    bool isFixed = false;                  // the user cannot change the keys
    bool needsTimeline = false;            // the command is disabled while another page is in front
    SliceGroup slice = SliceGroup::none;
    const char* sliceTitle = nullptr; // title in the slice menu; nullptr if it is the same
    int number = 0; // of nine commands that differ by a number, from 1; replaces %1 in the title
};

// Returns all commands, in the order of the menus.
std::span<const CommandSpec> commandSpecs();
const CommandSpec& commandSpec(CommandId id);
// Returns the English menu names in the order of the menu bar.
std::span<const char* const> commandMenus();

// Return translated texts.
QString commandTitle(CommandId id);
QString commandDescription(CommandId id);
QString sliceMenuTitle(CommandId id);
QString menuTitle(const char* menu);

} // namespace lockstep
