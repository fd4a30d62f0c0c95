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
    {openFiles, "openFiles", "File", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Open files\u2026"), "Ctrl+O", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Open any number of reports; they are added to those open")},
    {openFolder, "openFolder", "File", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Open folder\u2026"), "Ctrl+Shift+O", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Open reports of a folder and its subfolders; many are offered for choice")},
    {openDemo, "openDemo", "File", QT_TRANSLATE_NOOP("lockstep::ActionTable", "See the demo"), "", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Run a small program of four ranks on this machine, watch it live, and open what it leaves")},
    {saveWorkspace, "saveWorkspace", "File", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Save workspace"), "Ctrl+S", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Keep everything that is open in one file that reopens at once"), false, true},
    {saveWorkspaceAs, "saveWorkspaceAs", "File", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Save workspace as\u2026"), "Ctrl+Shift+S", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Keep everything that is open in another file")},
    {leftBehind, "leftBehind", "File", QT_TRANSLATE_NOOP("lockstep::ActionTable", "What an earlier window left"), "", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Unsaved work and crash reports of windows that were killed: restore or delete them")},
    {cancelLoading, "cancelLoading", "File", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Cancel loading"), "Ctrl+.", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Stop opening all reports that are not there yet"), false, true},
    {closeAll, "closeAll", "File", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Close all reports"), "Ctrl+W", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Close every report and free its memory")},
    {quit, "quit", "File", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Quit"), "Ctrl+Q", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Leave Lockstep"), false, true},
    {undo, "undo", "Edit", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Undo"), "Ctrl+Z", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Take back the last change")},
    {redo, "redo", "Edit", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Redo"), "Ctrl+Shift+Z Ctrl+Y", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Do again what was taken back")},
    {showSession, "showSession", "View", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Session page"), "Alt+1", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Set up a run")},
    {showTimeline, "showTimeline", "View", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Timeline page"), "Alt+2", QT_TRANSLATE_NOOP("lockstep::ActionTable", "All shown reports on one time axis")},
    {showRun, "showRun", "View", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Run page"), "Alt+3", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Watch a run and fetch its reports")},
    {openSession, "openSession", "Session", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Open a session\u2026"), "", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Open a saved set-up")},
    {saveSession, "saveSession", "Session", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Save the session"), "Ctrl+S", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Write the set-up to its file")},
    {saveSessionAs, "saveSessionAs", "Session", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Save the session as\u2026"), "Ctrl+Shift+S", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Write the set-up to another file")},
    {importVerl, "importVerl", "Session", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Import a verl YAML file\u2026"), "", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Make a session from a verl configuration"), false, true},
    {importOverrides, "importOverrides", "Session", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Import a command line\u2026"), "", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Make a session from pasted overrides")},
    {importNrl, "importNrl", "Session", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Import a NeMo RL launch\u2026"), "", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Make a session from NRL_* variables")},
    {loadFacts, "loadFacts", "Session", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Check with facts\u2026"), "", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Hold the session against what the hosts have"), false, true},
    {runSession, "runSession", "Run", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Run the session"), "Ctrl+R", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Ask the hosts, check, and launch")},
    {attachRun, "attachRun", "Run", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Attach to a run\u2026"), "", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Pick up a run that was started before")},
    {watchLive, "watchLive", "Run", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Watch live"), "Ctrl+L", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Show the captures of the run on the timeline while they grow")},
    {detachRun, "detachRun", "Run", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Detach"), "", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Let go of the run; it goes on on its hosts")},
    {openResults, "openResults", "Run", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Open what arrived"), "", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Fetch complete reports and show them on one axis"), false, true},
    {find, "find", "Edit", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Find"), "/ Ctrl+F", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Search names of slices")},
    {findNext, "findNext", "Edit", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Find next"), "F3", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Go to the next slice found")},
    {findPrevious, "findPrevious", "Edit", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Find previous"), "Shift+F3", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Go to the previous slice found")},
    {findLane, "findLane", "Edit", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Filter lanes"), "Ctrl+P", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Show only lanes whose label matches"), false, true},
    {runCommand, "runCommand", "Edit", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Run a command"), "Ctrl+Shift+P", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Find any command by its name")},
    {setMark, "setMark", "Edit", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Mark this place"), "M", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Mark what is selected, or the time under the cursor; again takes the mark away"), true, true},
    {writeNote, "writeNote", "Edit", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Write a note here"), "Shift+M", QT_TRANSLATE_NOOP("lockstep::ActionTable", "The same with words"), true},
    {goToTime, "goToTime", "Edit", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Go to a time"), "G", QT_TRANSLATE_NOOP("lockstep::ActionTable", "To a time, a step, a mark or a link, as you write it"), true},
    {copyLink, "copyLink", "Edit", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Copy link to this place"), "", QT_TRANSLATE_NOOP("lockstep::ActionTable", "What is seen and selected, for Go to or --goto elsewhere")},
    {measure, "measure", "Edit", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Measure between two points"), "T", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Two clicks in the lanes, held at edges of slices and collectives"), true},
    {selectNameOnLane, "selectNameOnLane", "Edit", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Select all of this name on the lane"), "N", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Every slice called as the one in hand, on its lane"), true, true},
    {selectNameOnRank, "selectNameOnRank", "Edit", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Select all of this name on the rank"), "Shift+N", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Every slice called as the one in hand, on its rank"), true},
    {selectNameEverywhere, "selectNameEverywhere", "Edit", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Select all of this name everywhere"), "Ctrl+Shift+N", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Every slice called as the one in hand"), true},
    {sameElsewhere, "sameElsewhere", "Edit", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Select the same slice on other ranks"), "O", QT_TRANSLATE_NOOP("lockstep::ActionTable", "By its collective, else by counting in the step or report"), true},
    {settings, "settings", "Edit", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Settings\u2026"), "Ctrl+,", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Theme, text size, keys, memory, gaps, ssh and all else that is kept, on one page"), false, true},
    {lightChain, "lightChain", "View", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Light the chain of a slice"), "X", QT_TRANSLATE_NOOP("lockstep::ActionTable", "The call, its work, the collective and its peers; Escape ends it"), true, true},
    {criticalPath, "criticalPath", "View", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Light the critical path"), "C", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Of the step that the slice in hand is of; Escape ends it"), true},
    {hideName, "hideName", "View", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Hide this name"), "H", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Lanes show no slice called as the one in hand; tables count them"), true},
    {showHiddenNames, "showHiddenNames", "View", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Show hidden names"), "Shift+H", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Lanes show them again"), true},
    {compareWith, "compareWith", "View", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Compare with\u2026"), "Shift+C", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Two steps or runs side by side, with what changed between them"), false, true},
    {swapHalves, "swapHalves", "View", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Swap A and B"), "Y", QT_TRANSLATE_NOOP("lockstep::ActionTable", "What is before becomes after")},
    {unlinkHalves, "unlinkHalves", "View", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Unlink or link the halves"), "Shift+Y", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Each half of the comparison goes where it is sent alone, or both together")},
    {closeComparison, "closeComparison", "View", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Close the comparison"), "Shift+Backspace", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Back to one timeline; Escape does so too")},
    {fitSelection, "fitSelection", "View", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Fit selection"), "F", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Zoom to the selection; again: to everything"), true},
    {fitAll, "fitAll", "View", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Fit everything"), "0", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Zoom to all reports"), true},
    {showReports, "showReports", "View", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Reports"), "Ctrl+B", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Show or hide the Reports panel"), false, true},
    {foldPanels, "foldPanels", "View", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Bottom panels"), "Q", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Show or hide Details, Kernels, Analyses, Memory, Identities and Notes")},
    {fullHeight, "fullHeight", "View", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Bottom panels at full height"), "Shift+Q", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Give the panels at the bottom the whole window, or the height they had")},
    {textLarger, "textLarger", "View", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Larger text"), "Ctrl++ Ctrl+=", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Larger text everywhere"), false, true},
    {textSmaller, "textSmaller", "View", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Smaller text"), "Ctrl+-", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Smaller text everywhere")},
    {textReset, "textReset", "View", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Normal text"), "Ctrl+0", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Text of 13 pixels")},
    {fullScreen, "fullScreen", "View", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Full screen"), "F11", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Use the whole screen"), false, true},
    {kernelsVisible, "kernelsVisible", "Analyse", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Kernels in the visible range"), "", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Sum kernel times over what is visible")},
    {kernelsSelected, "kernelsSelected", "Analyse", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Kernels in the selected range"), "", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Sum kernel times over the selection")},
    {kernelsWhole, "kernelsWhole", "Analyse", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Kernels of all reports"), "", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Sum kernel times over everything shown")},
    {showDetails, "showDetails", "Analyse", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Details of the selected slice"), "", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Every argument and link"), false, true},
    {showSelection, "showSelection", "Analyse", QT_TRANSLATE_NOOP("lockstep::ActionTable", "What is selected"), "", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Areas and picked slices summed up, as a flame graph and by duration")},
    {showNotes, "showNotes", "Analyse", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Notes of opening"), "", QT_TRANSLATE_NOOP("lockstep::ActionTable", "What was skipped, repaired or lost, and why")},
    {showMarks, "showMarks", "Analyse", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Marks and notes"), "", QT_TRANSLATE_NOOP("lockstep::ActionTable", "What you marked and wrote, by time")},
    {showAnalyses, "showAnalyses", "Analyse", QT_TRANSLATE_NOOP("lockstep::ActionTable", "All analyses"), "", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Tables of nsys stats, rules, training and memory, with their arguments")},
    {showEvents, "showEvents", "Analyse", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Events"), "", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Every slice, row by row: filtered, put in order, exported")},
    {showFindings, "showFindings", "Analyse", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Findings"), "", QT_TRANSLATE_NOOP("lockstep::ActionTable", "What keeps the GPUs from working, worst first, with what to do")},
    {showSql, "showSql", "Analyse", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Ask by SQL"), "", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Read-only queries over everything shown, in aligned time")},
    {showMemory, "showMemory", "Analyse", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Memory of a device"), "", QT_TRANSLATE_NOOP("lockstep::ActionTable", "PyTorch memory snapshots: by time, by stack, and what is in each segment")},
    {showAlignment, "showAlignment", "Analyse", QT_TRANSLATE_NOOP("lockstep::ActionTable", "How clocks were put on one axis"), "", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Every report's clock: accept, move, lock")},
    {showIdentities, "showIdentities", "Analyse", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Whose each report is"), "", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Host, role, rank and step of every report")},
    {showChanges, "showChanges", "Analyse", QT_TRANSLATE_NOOP("lockstep::ActionTable", "What changed"), "", QT_TRANSLATE_NOOP("lockstep::ActionTable", "By kernel, phase and rank, while two steps or runs are compared")},
    {help, "help", "Help", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Help pages"), "", QT_TRANSLATE_NOOP("lockstep::ActionTable", "A short page for each task, with a search")},
    {helpHere, "helpHere", "Help", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Help for what is in front"), "F1", QT_TRANSLATE_NOOP("lockstep::ActionTable", "The help page of the panel or page that is in hand")},
    {tour, "tour", "Help", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Tour"), "", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Eight stops through the window, with what is open or the demo")},
    {whatsNew, "whatsNew", "Help", QT_TRANSLATE_NOOP("lockstep::ActionTable", "What is new"), "", QT_TRANSLATE_NOOP("lockstep::ActionTable", "What came with each version")},
    {shortcuts, "shortcuts", "Help", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Keys and gestures"), "?", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Every shortcut on one sheet")},
    {editKeys, "editKeys", "Help", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Change keys\u2026"), "", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Keys as in Lockstep, Perfetto or Nsight Systems, or as you press them")},
    {saveLog, "saveLog", "Help", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Save log\u2026"), "", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Write what the program noted of its doings to a file; secrets are masked")},
    {about, "about", "Help", QT_TRANSLATE_NOOP("lockstep::ActionTable", "About Lockstep"), "", QT_TRANSLATE_NOOP("lockstep::ActionTable", "Version and licence")},
}};
// clang-format on

constexpr std::array kMenus{
    QT_TRANSLATE_NOOP("lockstep::ActionTable", "File"), QT_TRANSLATE_NOOP("lockstep::ActionTable", "Edit"),
    QT_TRANSLATE_NOOP("lockstep::ActionTable", "View"), QT_TRANSLATE_NOOP("lockstep::ActionTable", "Session"),
    QT_TRANSLATE_NOOP("lockstep::ActionTable", "Run"),  QT_TRANSLATE_NOOP("lockstep::ActionTable", "Analyse"),
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
        if (spec.isKeyElsewhere) {
            const QString key = keys.shownKey(spec.name);
            action->setText(key.isEmpty() ? tr(spec.text) : tr(spec.text) + '\t' + key);
        } else {
            action->setShortcuts(keys.keysOf(spec.name));
        }
    }
    giveSavingKeys(m_savesWorkspace);
}

void ActionTable::giveSavingKeys(bool toWorkspace)
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
