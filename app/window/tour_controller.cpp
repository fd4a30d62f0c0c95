// SPDX-License-Identifier: Apache-2.0
#include "app/window/tour_controller.h"

#include <algorithm>

#include <QDockWidget>
#include <QLineEdit>
#include <QMainWindow>
#include <QMenuBar>

#include "app/window/command_actions.h"
#include "app/window/demo_controller.h"
#include "app/window/page_stack.h"
#include "app/window/panel_docks.h"
#include "app/window/settings.h"
#include "app/window/timeline_page_controller.h"
#include "app/window/workspace_controller.h"
#include "core/analysis/analysis.h"
#include "ui/analysis/analysis_list.h"
#include "ui/analysis/analysis_panel.h"
#include "ui/findings/findings_panel.h"
#include "ui/memory/memory_panel.h"
#include "ui/memory/memory_source.h"
#include "ui/panels/alignment_panel.h"
#include "ui/panels/details_panel.h"
#include "ui/panels/top_strip.h"
#include "ui/window/view_state.h"

namespace lockstep {

namespace {

constexpr const char* kStragglers = "stragglers";

template<class T>
QWidget* raised(const WindowParts& parts)
{
    T& panel = parts.docks.at<T>();
    parts.docks.raise(panel);
    return &panel;
}

} // namespace

TourController::TourController(const WindowParts& parts, const DemoController& demo)
    : QObject(&parts.window), m_parts(parts)
{
    connect(parts.actions.at(CommandId::tour), &QAction::triggered, this, &TourController::start);
    connect(&demo, &DemoController::shown, this, [this] {
        if (!m_isAwaiting && !m_parts.settings.value("tour/offered").toBool()) return;
        m_isAwaiting = true;
        if (!m_parts.reports.scene()->shown.isEmpty()) begin();
    });
    connect(&parts.reports, &WorkspaceController::sceneChanged, this, [this, &demo] {
        if (m_isAwaiting && !demo.isBusy() && !m_parts.reports.scene()->shown.isEmpty()) begin();
    });
}

void TourController::start()
{
    if (!m_parts.reports.scene()->shown.isEmpty()) return begin();
    m_isAwaiting = true;
    m_parts.actions.at(CommandId::openDemo)->trigger();
}

void TourController::begin()
{
    m_isAwaiting = false;
    if (m_card == nullptr) {
        m_before = m_parts.docks.inFront();
        m_card = new TourCard(&m_parts.window);
        connect(m_card, &TourCard::nextRequested, this, [this] { go(m_stop + 1); });
        connect(m_card, &TourCard::backRequested, this, [this] { go(m_stop - 1); });
        connect(m_card, &TourCard::dismissed, this, &TourController::end);
        // A dock that comes to the front would cover the card.
        for (QDockWidget* const dock : m_parts.window.findChildren<QDockWidget*>())
            connect(dock, &QDockWidget::visibilityChanged, m_card, &QWidget::raise);
    }
    m_parts.actions.at(CommandId::fitAll)->trigger();
    go(1);
}

void TourController::go(int number)
{
    if (number > kStops) return end();
    m_stop = number;
    m_parts.actions.at(CommandId::showTimeline)->trigger();
    if (m_parts.docks.isFullHeight()) m_parts.docks.toggleFullHeight();
    m_card->show(stopAt(number), number, kStops);
}

void TourController::end()
{
    m_parts.settings.set("tour/offered", false);
    m_card->hide();
    m_card->deleteLater();
    m_card = nullptr;
    if (m_before != nullptr) m_parts.docks.raise(*m_before);
    m_parts.pages.currentWidget()->setFocus();
}

// Returns the current key of the command for texts.
QString TourController::key(CommandId command) const
{
    return keyInText(m_parts.actions.shownKey(command));
}

TourStop TourController::stopAt(int number) const
{
    switch (number) {
    case 1:
        return {
            .title = tr("Every rank on one axis"),
            .text =
                tr("Each lane is a rank, with its threads and GPUs below. Ranges named step are training "
                   "steps. %1 and %2 zoom at the cursor, %3 and %4 pan, %5 zooms to fit, %6 lists all keys. "
                   "The tour waits while you try them.")
                    .arg(key(CommandId::zoomIn), key(CommandId::zoomOut), key(CommandId::panLeft),
                         key(CommandId::panRight), key(CommandId::fitAll), key(CommandId::shortcuts)),
            .anchor = m_parts.pages.at<TimelinePageController>().widget()};
    case 2:
        return stragglers();
    case 3:
        return {
            .title = tr("Clock error"),
            .text = tr(
                "Each host has its own clock. This table shows how each report was aligned, and the error bound "
                "of its clock. Events closer together than the clock error have no known order and are drawn "
                "that way."),
            .anchor = raised<AlignmentPanel>(m_parts)};
    case 4:
        return jump();
    case 5:
        // Show everything, because findings cover the visible range.
        m_parts.actions.at(CommandId::fitAll)->trigger();
        return {.title = tr("What to fix"),
                .text = tr(
                    "Findings come from rules, worst first: the cost per step, the numbers behind it, and a "
                    "remedy. ? next to the tabs opens the help for the front panel."),
                .anchor = raised<FindingsPanel>(m_parts)};
    case 6:
        return memory();
    case 7:
        return samples();
    case 8:
        return {
            .title = tr("Find anything"),
            .text =
                tr("%1 searches names, arguments and durations in all ranks. Try step, or rank:0 dur>1ms. "
                   "After > the same field runs any command, finds any setting and opens any analysis.")
                    .arg(key(CommandId::find)),
            .anchor = m_parts.strip.searchField()};
    default: {
        auto& menu = *static_cast<QMainWindow&>(m_parts.window).menuBar();
        return {
            .title = tr("Save and share"),
            .text = tr(
                "File > Save workspace saves reports, clocks, markers and view in one file that opens without "
                "the reports. lockstep --export report -o run.html FILES writes a web page to share. Below "
                "each table is the command that prints it."),
            .anchor = &menu,
            .part = menu.actionGeometry(menu.actions().front())};
    }
    }
}

TourStop TourController::stragglers() const
{
    QWidget* const panel = raised<AnalysisPanel>(m_parts);
    if (const Analysis* const analysis = findAnalysis(kStragglers))
        m_parts.docks.at<AnalysisPanel>().list()->select(*analysis);
    if (m_parts.reports.scene()->lateness->isEmpty())
        return {
            .title = tr("Which rank keeps the others waiting"),
            .text = tr(
                "Not available for these reports: they have no collectives matched across ranks. With such "
                "collectives, this table names the last rank to arrive and how long the others waited."),
            .isAbsent = true,
            .anchor = panel};
    return {
        .title = tr("Which rank keeps the others waiting"),
        .text = tr(
            "A collective ends only after its last rank has arrived. The first row is the rank that cost the "
            "others most waiting time: how often it was last, and how long they waited. The list on the "
            "left has all other tables."),
        .anchor = panel};
}

// Goes to the collective in which the other ranks waited longest, and returns the tour stop that explains it.
TourStop TourController::jump() const
{
    const AnalysisPanel& analyses = m_parts.docks.at<AnalysisPanel>();
    const Table* const table = analyses.table();
    const bool isOfStragglers =
        analyses.list()->current() != nullptr && analyses.list()->current()->name == kStragglers;
    const bool hasRow = isOfStragglers && table != nullptr && table->rowCount() > 0;
    if (!hasRow || !m_parts.reports.scene()->holds(table->longest(0)))
        return {.title = tr("From table to timeline"),
                .text = tr(
                    "These reports have no straggler row to follow. In any table, click a row to go to its "
                    "longest "
                    "instance: a kernel, a call or a collective."),
                .isAbsent = true,
                .anchor = raised<DetailsPanel>(m_parts)};
    m_parts.view.reveal(table->longest(0), true);
    return {
        .title = tr("From table to timeline"),
        .text =
            tr("Click a row to go to the slice it counts. This is the collective for which the others waited "
               "longest "
               "(its kernel, if GPUs were recorded). Details shows its file and row; %1 selects the same "
               "collective on the other ranks, %2 highlights its launch chain.")
                .arg(key(CommandId::selectSameOnOtherRanks), key(CommandId::highlightChain)),
        .anchor = raised<DetailsPanel>(m_parts)};
}

TourStop TourController::samples() const
{
    QWidget* const panel = raised<AnalysisPanel>(m_parts);
    if (const Analysis* const analysis = findAnalysis("rollout_tail"))
        m_parts.docks.at<AnalysisPanel>().list()->select(*analysis);
    const auto& shown = m_parts.reports.scene()->shown;
    const bool hasSamples = std::ranges::any_of(
        shown.keys(), [&](ReportKey key) { return !shown.report(key).samples.samples.empty(); });
    if (!hasSamples)
        return {
            .title = tr("Samples of reinforcement learning"),
            .text = tr(
                "These reports have no records of samples. Open those of SGLang, vLLM, slime, miles, ROLL, "
                "AReaL or RLinf together with the traces: each step gets a lane with a line per sample, and "
                "this table names the sample that held up the step, and why."),
            .isAbsent = true,
            .anchor = panel};
    return {
        .title = tr("Samples of reinforcement learning"),
        .text =
            tr("Each row is a step or a weight version: the sample that came last, why, and how long the "
               "rollout GPUs were idle because of it. Click a row to go to the sample. async_balance, in the "
               "same list, shows whether the trainer or the rollout waits for the other."),
        .anchor = panel};
}

TourStop TourController::memory() const
{
    QWidget* const panel = raised<MemoryPanel>(m_parts);
    if (memorySources(*m_parts.reports.scene()).empty())
        return {
            .title = tr("GPU memory"),
            .text = tr(
                "These reports have no memory recording. Open a PyTorch memory snapshot together with a trace of "
                "the same process: its lane appears below the kernels, and this panel shows which blocks "
                "were live, the stacks that allocated them, and what leaks."),
            .isAbsent = true,
            .anchor = panel};
    return {
        .title = tr("GPU memory"),
        .text =
            tr("Blocks that were live at a given time, by size, lifetime and stack; segments and gaps; leaks "
               "from step to step. Click the memory lane below a GPU to come here."),
        .anchor = panel};
}

} // namespace lockstep
