// SPDX-License-Identifier: Apache-2.0
#include "app/actions.h"

#include <algorithm>
#include <array>

#include <QMenu>
#include <QWidget>

namespace lockstep {

namespace {

using enum ActionId;

// clang-format off
constexpr std::array<ActionSpec, static_cast<size_t>(count)> kSpecs{{
    {openFiles, "openFiles", "File", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Open files\u2026"), "Ctrl+O", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Open one or more reports and add them to those already open")},
    {openFolder, "openFolder", "File", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Open folder\u2026"), "Ctrl+Shift+O", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Open the reports in a folder and its subfolders; if there are many, choose which")},
    {openDemo, "openDemo", "File", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Run the demo"), "", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Run a small program with four ranks on this machine, watch it live and open its reports")},
    {saveWorkspace, "saveWorkspace", "File", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Save workspace"), "Ctrl+S", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Save all open reports to a single file that reopens quickly"), false, true},
    {saveWorkspaceAs, "saveWorkspaceAs", "File", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Save workspace as\u2026"), "Ctrl+Shift+S", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Save all open reports to a different file")},
    {recoverUnsaved, "leftBehind", "File", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Recover unsaved "
                                        "work\u2026"), "", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Restore or delete the unsaved work and crash reports from windows that closed unexpectedly")},
    {cancelLoading, "cancelLoading", "File", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Cancel loading"), "Ctrl+.", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Stop opening the reports that are still loading"), false, true},
    {closeAll, "closeAll", "File", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Close all reports"), "Ctrl+W", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Close all reports and free their memory")},
    {quit, "quit", "File", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Quit"), "Ctrl+Q", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Quit Lockstep"), false, true},
    {undo, "undo", "Edit", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Undo"), "Ctrl+Z", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Undo the last change")},
    {redo, "redo", "Edit", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Redo"), "Ctrl+Shift+Z Ctrl+Y", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Redo the last undone change")},
    {showSession, "showSession", "View", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Session page"), "Alt+1", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Configure a run")},
    {showTimeline, "showTimeline", "View", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Timeline page"), "Alt+2", QT_TRANSLATE_NOOP("lockstep::ActionTable", "All visible reports on one time axis")},
    {showRun, "showRun", "View", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Run page"), "Alt+3", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Watch a run and fetch its reports")},
    {openSession, "openSession", "Session", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Open session\u2026"), "", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Open a saved session")},
    {saveSession, "saveSession", "Session", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Save session"), "Ctrl+S", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Save the session to its file")},
    {saveSessionAs, "saveSessionAs", "Session", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Save session "
                                        "as\u2026"), "Ctrl+Shift+S", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Save the session to a different file")},
    {importVerl, "importVerl", "Session", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Import verl YAML\u2026"), "", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Create a session from a verl configuration file"), false, true},
    {importOverrides, "importOverrides", "Session", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Import command line\u2026"), "", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Create a session from a pasted command line with overrides")},
    {importNrl, "importNrl", "Session", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Import NeMo RL launch\u2026"), "", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Create a session from NRL_* variables")},
    {loadFacts, "loadFacts", "Session", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Check against hosts\u2026"), "", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Validate this session against the hosts' hardware and software"), false, true},
    {runSession, "runSession", "Run", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Launch session"), "Ctrl+R", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Query the hosts, run the session checks and launch")},
    {attachRun, "attachRun", "Run", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Attach to run\u2026"), "", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Watch a run that was started earlier")},
    {watchLive, "watchLive", "Run", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Watch live"), "Ctrl+L", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Show the run's captures on the timeline as they are recorded")},
    {detachRun, "detachRun", "Run", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Stop watching"), "", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Stop watching the run; the run continues on its hosts")},
    {openResults, "openResults", "Run", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Open collected reports"), "", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Fetch the complete reports and show them on one time axis"), false, true},
    {find, "find", "Edit", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Find"), "/ Ctrl+F", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Search slice names")},
    {findNext, "findNext", "Edit", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Find next"), "F3", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Go to the next match")},
    {findPrevious, "findPrevious", "Edit", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Find previous"), "Shift+F3", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Go to the previous match")},
    {findLane, "findLane", "Edit", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Filter lanes"), "Ctrl+P", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Show only the lanes whose label matches"), false, true},
    {runCommand, "runCommand", "Edit", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Run command"), "Ctrl+Shift+P", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Find and run any command by name")},
    {setMark, "setMark", "Edit", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Toggle marker"), "M", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Mark the selection, or the time under the cursor; press again to remove the marker"), true, true},
    {writeNote, "writeNote", "Edit", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Add note"), "Shift+M", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Add a marker with a note to the selection, or to the time under the cursor"), true},
    {goToTime, "goToTime", "Edit", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Go to\u2026"), "G", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Go to a time, a step, a marker or a link"), true},
    {copyLink, "copyLink", "Edit", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Copy link to this view"), "", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Copy a link to the visible range and the selection, for Go to\u2026 or --goto")},
    {measure, "measure", "Edit", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Measure between two points"), "T", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Click two points in the lanes; clicks snap to the edges of slices and collectives"), true},
    {selectNameOnLane, "selectNameOnLane", "Edit", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Select all "
                                        "slices with this name in this lane"), "N", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Select all slices with the same name as the selected one in its lane"), true, true},
    {selectNameOnRank, "selectNameOnRank", "Edit", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Select all "
                                        "slices with this name on this rank"), "Shift+N", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Select all slices with the same name as the selected one on its rank"), true},
    {selectNameEverywhere, "selectNameEverywhere", "Edit", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Select all slices with this name everywhere"), "Ctrl+Shift+N", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Select all slices with the same name as the selected one in all lanes"), true},
    {selectSameOnOtherRanks, "sameElsewhere", "Edit", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Select the same "
                                        "slice on other ranks"), "O", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Match slices by collective, otherwise by position in the step or report"), true},
    {settings, "settings", "Edit", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Settings\u2026"), "Ctrl+,", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Theme, text size, keys, memory, gaps, ssh and all other settings"), false, true},
    {highlightChain, "lightChain", "View", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Highlight launch "
                                        "chain"), "X", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Highlight the launching call, its GPU work, the collective and its peers. Press Esc to clear."), true, true},
    {criticalPath, "criticalPath", "View", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Highlight critical "
                                        "path"), "C", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Highlight "
                                        "the critical path of the step that contains the selected slice. "
                                        "Press Esc to clear."), true},
    {hideName, "hideName", "View", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Hide slices with this name"), "H", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Hide slices with the same name as the selected one from the lanes; tables still count them"), true},
    {showHiddenNames, "showHiddenNames", "View", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Show hidden "
                                        "slices"), "Shift+H", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Show the slices that were hidden by name"), true},
    {compareWith, "compareWith", "View", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Compare with\u2026"), "Shift+C", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Show two steps or runs side by side, with the changes between them"), false, true},
    {swapHalves, "swapHalves", "View", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Swap A and B"), "Y", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Swap the before and after sides of the comparison")},
    {unlinkHalves, "unlinkHalves", "View", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Link/unlink panes"), "Shift+Y", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Scroll and zoom both comparison panes together or independently")},
    {closeComparison, "closeComparison", "View", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Close comparison"), "Shift+Backspace", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Return to one timeline; Esc also closes the comparison")},
    {fitSelection, "fitSelection", "View", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Zoom to selection"), "F", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Zoom to the selection; press again to zoom to all reports"), true},
    {fitAll, "fitAll", "View", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Zoom to fit"), "0", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Zoom to show all reports"), true},
    {showReports, "showReports", "View", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Reports"), "Ctrl+B", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Show or hide the Reports panel"), false, true},
    {foldPanels, "foldPanels", "View", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Bottom panels"), "Q", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Show or hide Details, Kernels, Analyses and the other panels at the bottom")},
    {fullHeight, "fullHeight", "View", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Bottom panels at full "
                                        "height"), "Shift+Q", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Expand the bottom panels to fill the window, or restore their height")},
    {textLarger, "textLarger", "View", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Larger text"), "Ctrl++ Ctrl+=", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Increase the text size"), false, true},
    {textSmaller, "textSmaller", "View", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Smaller text"), "Ctrl+-", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Decrease the text size")},
    {textReset, "textReset", "View", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Normal text"), "Ctrl+0", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Reset the text size to 13 pixels")},
    {fullScreen, "fullScreen", "View", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Full screen"), "F11", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Show the window in full screen"), false, true},
    {kernelsVisible, "kernelsVisible", "Analyze", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Kernels in the visible range"), "", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Total the kernel times over the visible range")},
    {kernelsSelected, "kernelsSelected", "Analyze", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Kernels in the selected range"), "", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Total the kernel times over the selection")},
    {kernelsWhole, "kernelsWhole", "Analyze", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Kernels in all reports"), "", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Total the kernel times over all visible reports")},
    {showDetails, "showDetails", "Analyze", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Details"), "", QT_TRANSLATE_NOOP("lockstep::ActionTable", "All arguments and links of the selected slice"), false, true},
    {showSelection, "showSelection", "Analyze", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Selection"), "", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Totals of area selections and selected slices, as a flame graph and by duration")},
    {showNotes, "showNotes", "Analyze", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Import notes"), "", QT_TRANSLATE_NOOP("lockstep::ActionTable", "What was skipped, repaired or lost when the reports were opened, and why")},
    {showMarks, "showMarks", "Analyze", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Markers"), "", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Your markers and notes, ordered by time")},
    {showAnalyses, "showAnalyses", "Analyze", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Analyses"), "", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Tables for nsys stats, rules, training and memory, with their arguments")},
    {showEvents, "showEvents", "Analyze", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Events"), "", QT_TRANSLATE_NOOP("lockstep::ActionTable", "All slices as a table to filter, sort and export")},
    {showFindings, "showFindings", "Analyze", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Findings"), "", QT_TRANSLATE_NOOP("lockstep::ActionTable", "What keeps the GPUs from working, worst first, with remedies")},
    {showSql, "showSql", "Analyze", QT_TRANSLATE_NOOP("lockstep::ActionTable", "SQL"), "", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Read-only queries on all visible reports, with aligned times")},
    {showMemory, "showMemory", "Analyze", QT_TRANSLATE_NOOP("lockstep::ActionTable", "GPU memory"), "", QT_TRANSLATE_NOOP("lockstep::ActionTable", "PyTorch memory snapshots: by time, by stack and by segment")},
    {showAlignment, "showAlignment", "Analyze", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Clock alignment"), "", QT_TRANSLATE_NOOP("lockstep::ActionTable", "The clock of every report: accept, shift or lock its alignment")},
    {showIdentities, "showIdentities", "Analyze", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Report identities"), "", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Host, role, rank and step of every report")},
    {showChanges, "showChanges", "Analyze", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Changes"), "", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Changes by kernel, phase and rank between the two steps or runs being compared")},
    {help, "help", "Help", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Help pages"), "", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Short, searchable pages for each task")},
    {helpHere, "helpHere", "Help", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Help for this panel"), "F1", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Open the help page of the focused panel or page")},
    {tour, "tour", "Help", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Tour"), "", QT_TRANSLATE_NOOP("lockstep::ActionTable", "A guided tour of the window in eight steps, with the open reports or the demo")},
    {whatsNew, "whatsNew", "Help", QT_TRANSLATE_NOOP("lockstep::ActionTable", "What's new"), "", QT_TRANSLATE_NOOP("lockstep::ActionTable", "New features of each version")},
    {shortcuts, "shortcuts", "Help", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Keyboard shortcuts"), "?", QT_TRANSLATE_NOOP("lockstep::ActionTable", "All keyboard shortcuts and mouse gestures on one page")},
    {editKeys, "editKeys", "Help", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Change shortcuts\u2026"), "", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Use the Lockstep, Perfetto or Nsight Systems key bindings, or define your own")},
    {saveLog, "saveLog", "Help", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Save log\u2026"), "", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Save the program's log to a file; secrets are masked")},
    {about, "about", "Help", QT_TRANSLATE_NOOP("lockstep::ActionTable", "About Lockstep"), "", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Version and license")},
}};
// clang-format on

constexpr std::array kMenus{
    QT_TRANSLATE_NOOP("lockstep::ActionTable", "File"), QT_TRANSLATE_NOOP("lockstep::ActionTable", "Edit"),
    QT_TRANSLATE_NOOP("lockstep::ActionTable", "View"), QT_TRANSLATE_NOOP("lockstep::ActionTable", "Session"),
    QT_TRANSLATE_NOOP("lockstep::ActionTable", "Run"),  QT_TRANSLATE_NOOP("lockstep::ActionTable", "Analyze"),
    QT_TRANSLATE_NOOP("lockstep::ActionTable", "Help")};

} // namespace

std::span<const ActionSpec> actionSpecs()
{
    return kSpecs;
}

std::span<const char* const> actionMenus()
{
    return kMenus;
}

void clearWithSubmenus(QMenu& menu)
{
    menu.clear();
    qDeleteAll(menu.findChildren<QMenu*>(Qt::FindDirectChildrenOnly));
}

ActionTable::ActionTable(QWidget* owner)
{
    for (const ActionSpec& spec : actionSpecs()) {
        auto* const action = new QAction(tr(spec.text), owner);
        action->setToolTip(tr(spec.tooltip));
        action->setStatusTip(tr(spec.tooltip));
        action->setObjectName(spec.text);
        action->setMenuRole(QAction::NoRole);
        owner->addAction(action);
        m_actions[spec.id] = action;
    }
    for (const char* const name : kMenus) {
        auto* const menu = new QMenu("&" + tr(name), owner);
        menu->setObjectName(name);
        menu->setToolTipsVisible(true);
        for (const ActionSpec& spec : actionSpecs()) {
            if (std::string_view(name) != spec.menu) continue;
            if (spec.startsGroup && !menu->isEmpty()) menu->addSeparator();
            menu->addAction(m_actions.at(spec.id));
        }
        m_menus.push_back(menu);
    }
}

QMenu* ActionTable::menu(const QString& name) const
{
    return *std::ranges::find(m_menus, name, &QMenu::objectName);
}

void ActionTable::setKeys(const KeyMap& keys)
{
    m_keys = keys;
    for (const ActionSpec& spec : actionSpecs()) {
        QAction* const action = m_actions.at(spec.id);
        if (spec.isTimelineKey) {
            const QString key = keys.shownKey(spec.name);
            action->setText(key.isEmpty() ? tr(spec.text) : tr(spec.text) + '\t' + key);
        } else {
            action->setShortcuts(keys.keysOf(spec.name));
        }
    }
    assignSaveKeys(m_savesWorkspace);
}

void ActionTable::assignSaveKeys(bool toWorkspace)
{
    m_savesWorkspace = toWorkspace;
    const auto give = [this](ActionId id, bool hasKeys) {
        const auto spec = std::ranges::find(actionSpecs(), id, &ActionSpec::id);
        m_actions.at(id)->setShortcuts(hasKeys ? m_keys.keysOf(spec->name) : QList<QKeySequence>());
    };
    give(saveWorkspace, toWorkspace);
    give(saveWorkspaceAs, toWorkspace);
    give(saveSession, !toWorkspace);
    give(saveSessionAs, !toWorkspace);
}

} // namespace lockstep
