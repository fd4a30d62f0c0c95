// SPDX-License-Identifier: Apache-2.0
#include "ui/window/command_table.h"

#include <array>

#include <QCoreApplication>

namespace lockstep {

namespace {

// A namespace of its own keeps the short names of the ids out of the rest of the file.
namespace rows {

using enum CommandId;

// clang-format off
constexpr std::array<CommandSpec, static_cast<size_t>(count)> kCommands{{
    {.id = openFiles, .name = "openFiles", .menu = "File", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Open files\u2026"), .keys = "Ctrl+O", .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Open one or more reports and add them to those already open")},
    {.id = openFolder, .name = "openFolder", .menu = "File", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Open folder\u2026"), .keys = "Ctrl+Shift+O", .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Open the reports in a folder and its subfolders; if there are many, choose which")},
    {.id = openDemo, .name = "openDemo", .menu = "File", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Run the demo"), .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Run a small program with four ranks on this machine, watch it live and open its reports")},
    {.id = saveWorkspace, .name = "saveWorkspace", .menu = "File", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Save workspace"), .keys = "Ctrl+S", .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Save all open reports to a single file that reopens quickly"), .scope = KeyScope::otherPages, .startsGroup = true},
    {.id = saveWorkspaceAs, .name = "saveWorkspaceAs", .menu = "File", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Save workspace as\u2026"), .keys = "Ctrl+Shift+S", .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Save all open reports to a different file"), .scope = KeyScope::otherPages},
    {.id = recoverUnsaved, .name = "leftBehind", .menu = "File", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Recover unsaved work\u2026"), .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Restore or delete the unsaved work and crash reports from windows that closed unexpectedly")},
    {.id = exportPicture, .name = "exportPicture", .menu = "File", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Export picture\u2026"), .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Save the timeline as it is shown, as a PNG, SVG or PDF file (a screenshot)"), .startsGroup = true, .needsTimeline = true},
    {.id = exportAllLanes, .name = "exportAllLanes", .menu = "File", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Export picture of all lanes\u2026"), .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Save the visible time range of all lanes as a PNG, SVG or PDF file"), .needsTimeline = true},
    {.id = exportReport, .name = "exportReport", .menu = "File", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Export HTML report\u2026"), .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Save findings, tables and a picture of the timeline as one HTML file"), .needsTimeline = true},
    {.id = exportTrace, .name = "exportTrace", .menu = "File", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Export trace\u2026"), .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Save the visible reports for Perfetto, Chrome tracing or SQLite"), .needsTimeline = true},
    {.id = saveTable, .name = "saveTable", .menu = "File", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Save table\u2026"), .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Export the rows of the table in front as CSV, JSON or Markdown"), .needsTimeline = true},
    {.id = cancelLoading, .name = "cancelLoading", .menu = "File", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Cancel loading"), .keys = "Ctrl+.", .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Stop opening the reports that are still loading"), .startsGroup = true},
    {.id = closeAll, .name = "closeAll", .menu = "File", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Close all reports"), .keys = "Ctrl+W", .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Close all reports and free their memory")},
    {.id = quit, .name = "quit", .menu = "File", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Quit"), .keys = "Ctrl+Q", .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Quit Lockstep"), .startsGroup = true},
    {.id = undo, .name = "undo", .menu = "Edit", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Undo"), .keys = "Ctrl+Z", .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Undo the last change")},
    {.id = redo, .name = "redo", .menu = "Edit", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Redo"), .keys = "Ctrl+Shift+Z Ctrl+Y", .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Redo the last undone change")},
    {.id = showSession, .name = "showSession", .menu = "View", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Session page"), .keys = "Alt+1", .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Configure a run")},
    {.id = showTimeline, .name = "showTimeline", .menu = "View", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Timeline page"), .keys = "Alt+2", .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "All visible reports on one time axis")},
    {.id = showRun, .name = "showRun", .menu = "View", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Run page"), .keys = "Alt+3", .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Watch a run and fetch its reports")},
    {.id = openSession, .name = "openSession", .menu = "Session", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Open session\u2026"), .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Open a saved session")},
    {.id = saveSession, .name = "saveSession", .menu = "Session", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Save session"), .keys = "Ctrl+S", .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Save the session to its file"), .scope = KeyScope::sessionPage},
    {.id = saveSessionAs, .name = "saveSessionAs", .menu = "Session", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Save session as\u2026"), .keys = "Ctrl+Shift+S", .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Save the session to a different file"), .scope = KeyScope::sessionPage},
    {.id = importScript, .name = "importScript", .menu = "Session", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Import launch script\u2026"), .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Create a session from a shell script, which is read but not run"), .startsGroup = true},
    {.id = importConfiguration, .name = "importConfiguration", .menu = "Session", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Import configuration file\u2026"), .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Create a session from the YAML file of a framework")},
    {.id = importOverrides, .name = "importOverrides", .menu = "Session", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Import command line\u2026"), .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Create a session from a pasted command line with overrides")},
    {.id = loadFacts, .name = "loadFacts", .menu = "Session", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Check against hosts\u2026"), .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Validate this session against the hosts' hardware and software"), .startsGroup = true},
    {.id = runSession, .name = "runSession", .menu = "Run", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Launch session"), .keys = "Ctrl+R", .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Query the hosts, run the session checks and launch")},
    {.id = attachRun, .name = "attachRun", .menu = "Run", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Attach to run\u2026"), .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Watch a run that was started earlier")},
    {.id = watchLive, .name = "watchLive", .menu = "Run", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Watch live"), .keys = "Ctrl+L", .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Show the run's captures on the timeline as they are recorded")},
    {.id = stopRun, .name = "stopRun", .menu = "Run", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Stop run\u2026"), .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Stop the program on every host, after a confirmation; profilers still write their reports")},
    {.id = detachRun, .name = "detachRun", .menu = "Run", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Stop watching"), .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Stop watching the run; the run continues on its hosts")},
    {.id = recordServers, .name = "recordServers", .menu = "Run", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Record servers\u2026"), .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Record with the profilers of the vLLM and SGLang servers that the session lists")},
    {.id = openResults, .name = "openResults", .menu = "Run", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Open collected reports"), .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Fetch the complete reports and show them on one time axis"), .startsGroup = true},
    {.id = find, .name = "find", .menu = "Edit", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Find"), .keys = "/ Ctrl+F", .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Search slice names"), .needsTimeline = true},
    {.id = findNext, .name = "findNext", .menu = "Edit", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Find next"), .keys = "F3", .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Go to the next match"), .needsTimeline = true},
    {.id = findPrevious, .name = "findPrevious", .menu = "Edit", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Find previous"), .keys = "Shift+F3", .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Go to the previous match"), .needsTimeline = true},
    {.id = findLane, .name = "findLane", .menu = "Edit", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Filter lanes"), .keys = "Ctrl+P", .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Show only the lanes whose label matches"), .startsGroup = true, .needsTimeline = true},
    {.id = runCommand, .name = "runCommand", .menu = "Edit", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Run command"), .keys = "Ctrl+Shift+P", .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Find and run any command by name")},
    {.id = setMark, .name = "setMark", .menu = "Edit", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Toggle marker"), .keys = "M", .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Mark the selection, or the time under the cursor; press again to remove the marker"), .scope = KeyScope::timeline, .startsGroup = true, .needsTimeline = true},
    {.id = writeNote, .name = "writeNote", .menu = "Edit", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Add note"), .keys = "Shift+M", .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Add a marker with a note to the selection, or to the time under the cursor"), .scope = KeyScope::timeline, .needsTimeline = true, .slice = SliceGroup::lane},
    {.id = goToTime, .name = "goToTime", .menu = "Edit", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Go to\u2026"), .keys = "G", .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Go to a time, a step, a marker or a link"), .scope = KeyScope::timeline, .needsTimeline = true},
    {.id = copyLink, .name = "copyLink", .menu = "Edit", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Copy link to this view"), .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Copy a link to the visible range and the selection, for another window or --goto"), .needsTimeline = true},
    {.id = pasteLink, .name = "pasteLink", .menu = "Edit", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Go to copied link"), .keys = "Ctrl+V", .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Show the view whose link is on the clipboard"), .scope = KeyScope::timeline, .needsTimeline = true},
    {.id = measure, .name = "measure", .menu = "Edit", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Measure between two points"), .keys = "T", .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Click two points in the lanes; clicks snap to the edges of slices and collectives"), .scope = KeyScope::timeline, .needsTimeline = true},
    {.id = selectNameOnLane, .name = "selectNameOnLane", .menu = "Edit", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Select all slices with this name in this lane"), .keys = "N", .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Select all slices with the same name as the selected one in its lane"), .scope = KeyScope::timeline, .startsGroup = true, .needsTimeline = true, .slice = SliceGroup::sameName, .sliceTitle = QT_TRANSLATE_NOOP("lockstep::CommandTable", "In this lane")},
    {.id = selectNameOnRank, .name = "selectNameOnRank", .menu = "Edit", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Select all slices with this name on this rank"), .keys = "Shift+N", .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Select all slices with the same name as the selected one on its rank"), .scope = KeyScope::timeline, .needsTimeline = true, .slice = SliceGroup::sameName, .sliceTitle = QT_TRANSLATE_NOOP("lockstep::CommandTable", "On this rank")},
    {.id = selectNameEverywhere, .name = "selectNameEverywhere", .menu = "Edit", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Select all slices with this name everywhere"), .keys = "Ctrl+Shift+N", .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Select all slices with the same name as the selected one in all lanes"), .scope = KeyScope::timeline, .needsTimeline = true, .slice = SliceGroup::sameName, .sliceTitle = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Everywhere")},
    {.id = selectSameOnOtherRanks, .name = "sameElsewhere", .menu = "Edit", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Select the same slice on other ranks"), .keys = "O", .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Match slices by collective, otherwise by position in the step or report"), .scope = KeyScope::timeline, .needsTimeline = true, .slice = SliceGroup::find},
    {.id = settings, .name = "settings", .menu = "Edit", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Settings\u2026"), .keys = "Ctrl+,", .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Theme, text size, keys, memory, gaps, ssh and all other settings"), .startsGroup = true},
    {.id = highlightChain, .name = "lightChain", .menu = "View", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Highlight launch chain"), .keys = "X", .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Highlight the launching call, its GPU work, the collective and its peers. Press Esc to clear."), .scope = KeyScope::timeline, .startsGroup = true, .needsTimeline = true, .slice = SliceGroup::highlight},
    {.id = criticalPath, .name = "criticalPath", .menu = "View", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Highlight critical path"), .keys = "C", .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Highlight the critical path of the step that contains the selected slice. Press Esc to clear."), .scope = KeyScope::timeline, .needsTimeline = true, .slice = SliceGroup::highlight},
    {.id = hideName, .name = "hideName", .menu = "View", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Hide slices with this name"), .keys = "H", .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Hide slices with the same name as the selected one from the lanes; tables still count them"), .scope = KeyScope::timeline, .needsTimeline = true, .slice = SliceGroup::lane},
    {.id = showHiddenNames, .name = "showHiddenNames", .menu = "View", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Show hidden slices"), .keys = "Shift+H", .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Show the slices that were hidden by name"), .scope = KeyScope::timeline, .needsTimeline = true, .slice = SliceGroup::lane},
    {.id = compareWith, .name = "compareWith", .menu = "View", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Compare with\u2026"), .keys = "Shift+C", .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Show two steps or runs side by side, with the changes between them"), .startsGroup = true, .needsTimeline = true},
    {.id = swapHalves, .name = "swapHalves", .menu = "View", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Swap A and B"), .keys = "Y", .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Swap the before and after sides of the comparison"), .needsTimeline = true},
    {.id = unlinkHalves, .name = "unlinkHalves", .menu = "View", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Link/unlink panes"), .keys = "Shift+Y", .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Scroll and zoom both comparison panes together or independently"), .needsTimeline = true},
    {.id = closeComparison, .name = "closeComparison", .menu = "View", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Close comparison"), .keys = "Shift+Backspace", .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Return to one timeline"), .needsTimeline = true},
    {.id = fitSelection, .name = "fitSelection", .menu = "View", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Zoom to selection"), .keys = "F", .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Zoom to the selection; press again to zoom to all reports"), .scope = KeyScope::timeline},
    {.id = fitAll, .name = "fitAll", .menu = "View", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Zoom to fit"), .keys = "0", .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Zoom to show all reports"), .scope = KeyScope::timeline},
    {.id = showReports, .name = "showReports", .menu = "View", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Reports"), .keys = "Ctrl+B", .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Show or hide the Reports panel"), .startsGroup = true, .needsTimeline = true},
    {.id = foldPanels, .name = "foldPanels", .menu = "View", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Bottom panels"), .keys = "Q", .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Show or hide Details, Kernels, Analyses and the other panels at the bottom"), .needsTimeline = true},
    {.id = fullHeight, .name = "fullHeight", .menu = "View", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Bottom panels at full height"), .keys = "Shift+Q", .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Expand the bottom panels to fill the window, or restore their height"), .needsTimeline = true},
    {.id = nextPanel, .name = "nextPanel", .menu = "View", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Next panel"), .keys = "F6", .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Move the focus to the next panel or back to the page")},
    {.id = previousPanel, .name = "previousPanel", .menu = "View", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Previous panel"), .keys = "Shift+F6", .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Move the focus to the previous panel or page")},
    {.id = textLarger, .name = "textLarger", .menu = "View", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Larger text"), .keys = "Ctrl++ Ctrl+=", .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Increase the text size"), .startsGroup = true},
    {.id = textSmaller, .name = "textSmaller", .menu = "View", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Smaller text"), .keys = "Ctrl+-", .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Decrease the text size")},
    {.id = textReset, .name = "textReset", .menu = "View", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Normal text"), .keys = "Ctrl+0", .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Reset the text size to 13 pixels")},
    {.id = fullScreen, .name = "fullScreen", .menu = "View", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Full screen"), .keys = "F11", .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Show the window in full screen"), .startsGroup = true},
    {.id = kernelsVisible, .name = "kernelsVisible", .menu = "Analyze", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Kernels in the visible range"), .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Total the kernel times over the visible range"), .needsTimeline = true},
    {.id = kernelsSelected, .name = "kernelsSelected", .menu = "Analyze", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Kernels in the selected range"), .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Total the kernel times over the selection"), .needsTimeline = true},
    {.id = kernelsWhole, .name = "kernelsWhole", .menu = "Analyze", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Kernels in all reports"), .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Total the kernel times over all visible reports"), .needsTimeline = true},
    {.id = showDetails, .name = "showDetails", .menu = "Analyze", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Details"), .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "All arguments and links of the selected slice"), .startsGroup = true, .needsTimeline = true},
    {.id = showSelection, .name = "showSelection", .menu = "Analyze", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Selection"), .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Totals of area selections and selected slices, as a flame graph and by duration"), .needsTimeline = true},
    {.id = showNotes, .name = "showNotes", .menu = "Analyze", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Import notes"), .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "What was skipped, repaired or lost when the reports were opened, and why"), .needsTimeline = true},
    {.id = showMarks, .name = "showMarks", .menu = "Analyze", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Markers"), .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Your markers and notes, ordered by time"), .needsTimeline = true},
    {.id = showAnalyses, .name = "showAnalyses", .menu = "Analyze", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Analyses"), .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Analysis tables and their arguments: nsys stats, rules, training, memory"), .needsTimeline = true},
    {.id = showEvents, .name = "showEvents", .menu = "Analyze", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Events"), .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "All slices as a table to filter, sort and export"), .needsTimeline = true},
    {.id = showFindings, .name = "showFindings", .menu = "Analyze", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Findings"), .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "What keeps the GPUs from working, worst first, with remedies"), .needsTimeline = true},
    {.id = showSql, .name = "showSql", .menu = "Analyze", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "SQL"), .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Read-only queries on all visible reports, with aligned times"), .needsTimeline = true},
    {.id = showMemory, .name = "showMemory", .menu = "Analyze", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "GPU memory"), .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "PyTorch memory snapshots: by time, by stack and by segment"), .needsTimeline = true},
    {.id = showAlignment, .name = "showAlignment", .menu = "Analyze", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Clock alignment"), .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "The clock of every report: accept, shift or lock its alignment"), .needsTimeline = true},
    {.id = showIdentities, .name = "showIdentities", .menu = "Analyze", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Report identities"), .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Host, role, rank and step of every report"), .needsTimeline = true},
    {.id = showChanges, .name = "showChanges", .menu = "Analyze", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Changes"), .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Changes by kernel, phase and rank between the two steps or runs being compared"), .needsTimeline = true},
    {.id = help, .name = "help", .menu = "Help", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Help pages"), .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Short, searchable pages for each task")},
    {.id = helpHere, .name = "helpHere", .menu = "Help", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Help for this panel"), .keys = "F1", .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Open the help page of the focused panel or page")},
    {.id = tour, .name = "tour", .menu = "Help", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Tour"), .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "A guided tour of the window in eight steps, with the open reports or the demo")},
    {.id = whatsNew, .name = "whatsNew", .menu = "Help", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "What's new"), .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "New features of each version")},
    {.id = shortcuts, .name = "shortcuts", .menu = "Help", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Keyboard shortcuts"), .keys = "?", .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "All keyboard shortcuts and mouse gestures on one page")},
    {.id = editKeys, .name = "editKeys", .menu = "Help", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Change shortcuts\u2026"), .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Use the Lockstep, Perfetto or Nsight Systems key bindings, or define your own")},
    {.id = saveLog, .name = "saveLog", .menu = "Help", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Save log\u2026"), .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Save the program's log to a file; secrets are masked")},
    {.id = about, .name = "about", .menu = "Help", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "About Lockstep"), .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Version and license")},
    {.id = zoomIn, .name = "zoomIn", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Zoom in at the cursor"), .keys = "W", .scope = KeyScope::timeline},
    {.id = zoomOut, .name = "zoomOut", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Zoom out at the cursor"), .keys = "S", .scope = KeyScope::timeline},
    {.id = panLeft, .name = "earlier", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Pan left (earlier)"), .keys = "A Left", .scope = KeyScope::timeline},
    {.id = panRight, .name = "later", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Pan right (later)"), .keys = "D Right", .scope = KeyScope::timeline},
    {.id = toggleGaps, .name = "foldGaps", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Expand/collapse gaps"), .keys = "B", .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "The gap under the cursor, or all gaps in view"), .scope = KeyScope::timeline},
    {.id = cycleRulerTime, .name = "rulerTime", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Cycle the time axis"), .keys = "U", .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Relative time, UTC, report clock"), .scope = KeyScope::timeline},
    {.id = undoZoom, .name = "undoZoom", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Undo zoom"), .keys = "Backspace Alt+Left", .scope = KeyScope::timeline},
    {.id = redoZoom, .name = "redoZoom", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Redo zoom"), .keys = "Alt+Right", .scope = KeyScope::timeline},
    {.id = followNewest, .name = "showNewest", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Follow the newest data of a live run"), .keys = "End", .scope = KeyScope::timeline, .needsTimeline = true},
    {.id = previousSlice, .name = "previousSlice", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Select the previous slice in the lane"), .keys = ",", .scope = KeyScope::timeline},
    {.id = nextSlice, .name = "nextSlice", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Select the next slice in the lane"), .keys = ".", .scope = KeyScope::timeline},
    {.id = previousSameName, .name = "previousSameName", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Select the previous slice with this name"), .keys = "Alt+,", .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "In the same row of the lane"), .scope = KeyScope::timeline},
    {.id = nextSameName, .name = "nextSameName", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Select the next slice with this name"), .keys = "Alt+.", .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "In the same row of the lane"), .scope = KeyScope::timeline},
    {.id = toCause, .name = "toCause", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Follow flow back (kernel to launch)"), .keys = "[", .scope = KeyScope::timeline},
    {.id = toEffect, .name = "toEffect", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Follow flow forward (launch to kernel)"), .keys = "]", .scope = KeyScope::timeline},
    {.id = pinLane, .name = "pinLane", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Pin/unpin the lane"), .keys = "P", .scope = KeyScope::timeline, .slice = SliceGroup::lane, .sliceTitle = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Pin lane")},
    {.id = moveLaneUp, .name = "moveLaneUp", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Move the lane up within its group"), .keys = "Alt+Up", .scope = KeyScope::timeline},
    {.id = moveLaneDown, .name = "moveLaneDown", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Move the lane down within its group"), .keys = "Alt+Down", .scope = KeyScope::timeline},
    {.id = groupLanes, .name = "groupLanes", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Group and sort lanes"), .keys = "Shift+G", .scope = KeyScope::timeline},
    {.id = cycleRowHeight, .name = "rowHeights", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Cycle the row height"), .keys = "V", .scope = KeyScope::timeline},
    {.id = saveLaneLayout, .name = "storeLanes", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Save the lane layout under a name"), .keys = "Shift+V", .scope = KeyScope::timeline, .needsTimeline = true},
    {.id = hideOtherLanes, .name = "hideOtherLanes", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Show only this lane"), .keys = "I", .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Press again to show the other lanes"), .scope = KeyScope::timeline},
    {.id = showHiddenLanes, .name = "showHiddenLanes", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Show hidden lanes"), .keys = "Shift+I", .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Show all lanes that were hidden"), .scope = KeyScope::timeline},
    {.id = collapseAll, .name = "collapseAll", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Collapse all lanes"), .keys = "Ctrl+Shift+Up", .scope = KeyScope::timeline},
    {.id = expandAll, .name = "expandAll", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Expand all lanes"), .keys = "Ctrl+Shift+Down", .scope = KeyScope::timeline},
    {.id = laneAbove, .name = "laneAbove", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Select the lane above"), .keys = "Up", .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "In a rank map: the rank above"), .scope = KeyScope::timeline},
    {.id = laneBelow, .name = "laneBelow", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Select the lane below"), .keys = "Down", .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "In a rank map: the rank below"), .scope = KeyScope::timeline},
    {.id = pageUp, .name = "pageUp", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Scroll lanes up half a page"), .keys = "PgUp", .scope = KeyScope::timeline},
    {.id = pageDown, .name = "pageDown", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Scroll lanes down half a page"), .keys = "PgDown", .scope = KeyScope::timeline},
    {.id = toggleLane, .name = "foldLane", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Expand/collapse the lane or the rank"), .keys = "Return Enter Space", .scope = KeyScope::timeline},
    {.id = contextMenu, .name = "sliceMenu", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Open the context menu of the slice or lane"), .keys = "Menu Shift+F10", .scope = KeyScope::timeline},
    {.id = copyName, .name = "copyName", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Copy the slice name"), .keys = "Ctrl+C", .scope = KeyScope::timeline, .slice = SliceGroup::copy, .sliceTitle = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Copy name")},
    {.id = copyRow, .name = "copyRow", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Copy the slice as a table row"), .keys = "Ctrl+Shift+C", .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "With a line of column headers"), .scope = KeyScope::timeline, .slice = SliceGroup::copy, .sliceTitle = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Copy as table row")},
    {.id = zoomToSlice, .name = "zoomToSlice", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Zoom to the selected slice"), .scope = KeyScope::timeline, .slice = SliceGroup::copy, .sliceTitle = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Zoom to slice")},
    {.id = showInEvents, .name = "showInEvents", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Show in Events"), .keys = "E", .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "List all slices with the name of the selected one in Events"), .scope = KeyScope::timeline, .slice = SliceGroup::find},
    {.id = showInKernels, .name = "showInKernels", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Show in Kernels"), .keys = "K", .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Find the selected kernel in Kernels"), .scope = KeyScope::timeline, .slice = SliceGroup::find},
    {.id = showLog, .name = "showLog", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Show log here"), .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Show the log of the slice's host at the time under the cursor"), .scope = KeyScope::timeline, .slice = SliceGroup::find},
    {.id = lastArrival, .name = "lastArrival", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Go to the last-arriving rank"), .keys = "J", .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "The rank that the other ranks of the selected collective waited for"), .scope = KeyScope::timeline, .slice = SliceGroup::highlight},
    {.id = compareStep, .name = "compareStep", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Compare step with\u2026"), .description = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Compare the step that contains the selected slice with another one"), .scope = KeyScope::timeline, .slice = SliceGroup::highlight},
    {.id = recallView1, .name = "recallView1", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Go to saved view %1"), .keys = "1", .scope = KeyScope::timeline, .needsTimeline = true, .number = 1},
    {.id = recallView2, .name = "recallView2", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Go to saved view %1"), .keys = "2", .scope = KeyScope::timeline, .needsTimeline = true, .number = 2},
    {.id = recallView3, .name = "recallView3", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Go to saved view %1"), .keys = "3", .scope = KeyScope::timeline, .needsTimeline = true, .number = 3},
    {.id = recallView4, .name = "recallView4", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Go to saved view %1"), .keys = "4", .scope = KeyScope::timeline, .needsTimeline = true, .number = 4},
    {.id = recallView5, .name = "recallView5", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Go to saved view %1"), .keys = "5", .scope = KeyScope::timeline, .needsTimeline = true, .number = 5},
    {.id = recallView6, .name = "recallView6", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Go to saved view %1"), .keys = "6", .scope = KeyScope::timeline, .needsTimeline = true, .number = 6},
    {.id = recallView7, .name = "recallView7", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Go to saved view %1"), .keys = "7", .scope = KeyScope::timeline, .needsTimeline = true, .number = 7},
    {.id = recallView8, .name = "recallView8", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Go to saved view %1"), .keys = "8", .scope = KeyScope::timeline, .needsTimeline = true, .number = 8},
    {.id = recallView9, .name = "recallView9", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Go to saved view %1"), .keys = "9", .scope = KeyScope::timeline, .needsTimeline = true, .number = 9},
    {.id = storeView1, .name = "storeView1", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Save view %1"), .keys = "Ctrl+1", .scope = KeyScope::timeline, .needsTimeline = true, .number = 1},
    {.id = storeView2, .name = "storeView2", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Save view %1"), .keys = "Ctrl+2", .scope = KeyScope::timeline, .needsTimeline = true, .number = 2},
    {.id = storeView3, .name = "storeView3", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Save view %1"), .keys = "Ctrl+3", .scope = KeyScope::timeline, .needsTimeline = true, .number = 3},
    {.id = storeView4, .name = "storeView4", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Save view %1"), .keys = "Ctrl+4", .scope = KeyScope::timeline, .needsTimeline = true, .number = 4},
    {.id = storeView5, .name = "storeView5", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Save view %1"), .keys = "Ctrl+5", .scope = KeyScope::timeline, .needsTimeline = true, .number = 5},
    {.id = storeView6, .name = "storeView6", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Save view %1"), .keys = "Ctrl+6", .scope = KeyScope::timeline, .needsTimeline = true, .number = 6},
    {.id = storeView7, .name = "storeView7", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Save view %1"), .keys = "Ctrl+7", .scope = KeyScope::timeline, .needsTimeline = true, .number = 7},
    {.id = storeView8, .name = "storeView8", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Save view %1"), .keys = "Ctrl+8", .scope = KeyScope::timeline, .needsTimeline = true, .number = 8},
    {.id = storeView9, .name = "storeView9", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Save view %1"), .keys = "Ctrl+9", .scope = KeyScope::timeline, .needsTimeline = true, .number = 9},
    {.id = cancel, .name = "letGo", .title = QT_TRANSLATE_NOOP("lockstep::CommandTable", "Cancel a drag, clear the highlight, deselect"), .keys = "Esc", .scope = KeyScope::timeline, .isFixed = true},
}};
// clang-format on

} // namespace rows

using rows::kCommands;

constexpr bool isInOrderOfIds()
{
    for (size_t i = 0; i < kCommands.size(); ++i) {
        if (kCommands[i].id != static_cast<CommandId>(i)) return false;
    }
    return true;
}
static_assert(isInOrderOfIds());

constexpr std::array kMenus{QT_TRANSLATE_NOOP("lockstep::CommandTable", "File"),
                            QT_TRANSLATE_NOOP("lockstep::CommandTable", "Edit"),
                            QT_TRANSLATE_NOOP("lockstep::CommandTable", "View"),
                            QT_TRANSLATE_NOOP("lockstep::CommandTable", "Session"),
                            QT_TRANSLATE_NOOP("lockstep::CommandTable", "Run"),
                            QT_TRANSLATE_NOOP("lockstep::CommandTable", "Analyze"),
                            QT_TRANSLATE_NOOP("lockstep::CommandTable", "Help")};

QString translated(const char* text)
{
    return QCoreApplication::translate("lockstep::CommandTable", text);
}

} // namespace

std::span<const CommandSpec> commandSpecs()
{
    return kCommands;
}

const CommandSpec& commandSpec(CommandId id)
{
    return kCommands[static_cast<size_t>(id)];
}

std::span<const char* const> commandMenus()
{
    return kMenus;
}

QString commandTitle(CommandId id)
{
    const CommandSpec& spec = commandSpec(id);
    const QString title = translated(spec.title);
    return spec.number > 0 ? title.arg(spec.number) : title;
}

QString commandDescription(CommandId id)
{
    const char* const text = commandSpec(id).description;
    return *text == '\0' ? QString() : translated(text);
}

QString sliceMenuTitle(CommandId id)
{
    const CommandSpec& spec = commandSpec(id);
    return spec.sliceTitle != nullptr ? translated(spec.sliceTitle) : commandTitle(id);
}

QString menuTitle(const char* menu)
{
    return translated(menu);
}

} // namespace lockstep
