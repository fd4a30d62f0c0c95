#include "app/actions.h"

#include <algorithm>
#include <array>

#include <QMenu>
#include <QWidget>

namespace lockstep {

namespace {

using enum ActionId;

constexpr std::array<ActionSpec, static_cast<size_t>(count)> kSpecs{{
    {openFiles, "File", "Open files\u2026", "Ctrl+O",
     "Open any number of reports; they are added to those open"},
    {openFolder, "File", "Open folder\u2026", "Ctrl+Shift+O",
     "Open reports of a folder and its subfolders; many are offered for choice"},
    {openDemo, "File", "See the demo", "", "Open a small made-up run of two nodes"},
    {saveWorkspace, "File", "Save workspace", "Ctrl+S",
     "Keep everything that is open in one file that reopens at once", false, true},
    {saveWorkspaceAs, "File", "Save workspace as\u2026", "Ctrl+Shift+S",
     "Keep everything that is open in another file"},
    {cancelLoading, "File", "Cancel loading", "Ctrl+.", "Stop opening all reports that are not there yet",
     false, true},
    {closeAll, "File", "Close all reports", "Ctrl+W", "Close every report and free its memory"},
    {quit, "File", "Quit", "Ctrl+Q", "Leave Lockstep", false, true},
    {undo, "Edit", "Undo", "Ctrl+Z", "Take back the last change"},
    {redo, "Edit", "Redo", "Ctrl+Shift+Z Ctrl+Y", "Do again what was taken back"},
    {showSession, "View", "Session page", "Ctrl+1", "Set up a run"},
    {showTimeline, "View", "Timeline page", "Ctrl+2", "All shown reports on one time axis"},
    {showRun, "View", "Run page", "Ctrl+3", "Watch a run and fetch its reports"},
    {openSession, "Session", "Open a session\u2026", "", "Open a saved set-up"},
    {saveSession, "Session", "Save the session", "Ctrl+S", "Write the set-up to its file"},
    {saveSessionAs, "Session", "Save the session as\u2026", "Ctrl+Shift+S",
     "Write the set-up to another file"},
    {importVerl, "Session", "Import a verl YAML file\u2026", "", "Make a session from a verl configuration",
     false, true},
    {importOverrides, "Session", "Import a command line\u2026", "", "Make a session from pasted overrides"},
    {importNrl, "Session", "Import a NeMo RL launch\u2026", "", "Make a session from NRL_* variables"},
    {loadFacts, "Session", "Check with facts\u2026", "", "Hold the session against what the hosts have",
     false, true},
    {runSession, "Run", "Run the session", "Ctrl+R", "Ask the hosts, check, and launch"},
    {attachRun, "Run", "Attach to a run\u2026", "", "Pick up a run that was started before"},
    {detachRun, "Run", "Detach", "", "Let go of the run; it goes on on its hosts"},
    {openResults, "Run", "Open what arrived", "", "Fetch complete reports and show them on one axis", false,
     true},
    {find, "Edit", "Find", "/ Ctrl+F", "Search names of slices"},
    {findNext, "Edit", "Find next", "F3", "Go to the next slice found"},
    {findPrevious, "Edit", "Find previous", "Shift+F3", "Go to the previous slice found"},
    {findLane, "Edit", "Filter lanes", "Ctrl+P", "Show only lanes whose label matches", false, true},
    {runCommand, "Edit", "Run a command", "Ctrl+Shift+P", "Find any command by its name"},
    {fitSelection, "View", "Fit selection", "F", "Zoom to the selection; again: to everything", true},
    {fitAll, "View", "Fit everything", "0", "Zoom to all reports", true},
    {showReports, "View", "Reports", "Ctrl+B", "Show or hide the Reports panel", false, true},
    {foldPanels, "View", "Bottom panels", "Q", "Show or hide Details, Kernels, Identities and Notes"},
    {textLarger, "View", "Larger text", "Ctrl++ Ctrl+=", "Larger text everywhere", false, true},
    {textSmaller, "View", "Smaller text", "Ctrl+-", "Smaller text everywhere"},
    {textReset, "View", "Normal text", "Ctrl+0", "Text of 13 pixels"},
    {fullScreen, "View", "Full screen", "F11", "Use the whole screen", false, true},
    {kernelsVisible, "Analyse", "Kernels in the visible range", "", "Sum kernel times over what is visible"},
    {kernelsSelected, "Analyse", "Kernels in the selected range", "", "Sum kernel times over the selection"},
    {kernelsWhole, "Analyse", "Kernels of all reports", "", "Sum kernel times over everything shown"},
    {showDetails, "Analyse", "Details of the selected slice", "", "Every argument and link", false, true},
    {showNotes, "Analyse", "Notes of opening", "", "What was skipped, repaired or lost, and why"},
    {showAlignment, "Analyse", "How clocks were put on one axis", "",
     "Every report's clock: accept, move, lock"},
    {showIdentities, "Analyse", "Whose each report is", "", "Host, role, rank and step of every report"},
    {shortcuts, "Help", "Keys and gestures", "? F1", "Every shortcut on one sheet"},
    {saveLog, "Help", "Save log\u2026", "",
     "Write what the program noted of its doings to a file; secrets are masked"},
    {about, "Help", "About Lockstep", "", "Version and licence"},
}};

constexpr std::array kMenus{"File", "Edit", "View", "Session", "Run", "Analyse", "Help"};

} // namespace

std::span<const ActionSpec> actionSpecs()
{
    return kSpecs;
}

std::vector<SheetLine> keyLines()
{
    std::vector<SheetLine> lines{
        {"Timeline", "W  S  or Ctrl+wheel", "zoom at the cursor"},
        {"Timeline", "A  D  or Shift+wheel", "move in time"},
        {"Timeline", "Shift+drag, middle drag", "move in time and over lanes"},
        {"Timeline", "wheel", "scroll lanes"},
        {"Timeline", "drag", "select a range"},
        {"Timeline", "Ctrl+drag on a lane", "move its reports on the axis; Escape takes it back"},
        {"Timeline", "F", "fit the selection, again everything"},
        {"Timeline", "0", "fit everything"},
        {"Timeline", "Backspace, Alt+Left", "undo a zoom"},
        {"Timeline", "Alt+Right", "redo a zoom"},
        {"Timeline", ",  .", "previous and next slice in the lane"},
        {"Timeline", "[  ]", "along links"},
        {"Timeline", "P", "pin the lane"},
        {"Timeline", "Escape", "deselect"},
        {"Tables", "Ctrl+C", "copy cells as tab-separated text with header"},
        {"Tables", "Enter, double click", "zoom to the longest instance"},
        {"Tables", "right click on the head", "choose columns, filter row"},
    };
    for (const ActionSpec& spec : actionSpecs()) {
        if (spec.isKeyElsewhere || *spec.keys == '\0') continue;
        lines.push_back(
            {spec.menu, QString(spec.keys).replace(' ', ",  "), QString(spec.text).remove(QChar(0x2026))});
    }
    return lines;
}

ActionTable::ActionTable(QWidget* owner)
{
    for (const ActionSpec& spec : actionSpecs()) {
        const QString text =
            spec.isKeyElsewhere ? QString("%1\t%2").arg(spec.text, spec.keys) : QString(spec.text);
        auto* const action = new QAction(text, owner);
        action->setToolTip(spec.tooltip);
        action->setStatusTip(spec.tooltip);
        if (!spec.isKeyElsewhere) {
            QList<QKeySequence> keys;
            for (const QString& key : QString(spec.keys).split(' ', Qt::SkipEmptyParts))
                keys << QKeySequence(key);
            action->setShortcuts(keys);
        }
        action->setObjectName(spec.text);
        action->setMenuRole(QAction::NoRole);
        owner->addAction(action);
        m_actions[spec.id] = action;
    }
    for (const char* const name : kMenus) {
        auto* const menu = new QMenu(QString("&") + name, owner);
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
    return *std::ranges::find(m_menus, '&' + name, &QMenu::title);
}

QStringList ActionTable::names() const
{
    QStringList names;
    for (const auto& [id, action] : m_actions)
        names << action->objectName();
    names.sort();
    return names;
}

void ActionTable::run(const QString& name) const
{
    for (const auto& [id, action] : m_actions) {
        if (action->objectName() == name) return action->trigger();
    }
}

void ActionTable::giveSavingKeys(bool toWorkspace) const
{
    const auto give = [this](ActionId id, bool hasKeys) {
        const auto spec = std::ranges::find(actionSpecs(), id, &ActionSpec::id);
        m_actions.at(id)->setShortcuts(hasKeys ? QList{QKeySequence(spec->keys)} : QList<QKeySequence>());
    };
    give(saveWorkspace, toWorkspace);
    give(saveWorkspaceAs, toWorkspace);
    give(saveSession, !toWorkspace);
    give(saveSessionAs, !toWorkspace);
}

} // namespace lockstep
