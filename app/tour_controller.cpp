// SPDX-License-Identifier: Apache-2.0
#include "app/tour_controller.h"

#include <QLineEdit>
#include <QMainWindow>
#include <QMenuBar>

#include "app/actions.h"
#include "app/demo_controller.h"
#include "app/page_stack.h"
#include "app/panel_docks.h"
#include "app/settings.h"
#include "app/timeline_page_controller.h"
#include "app/workspace_controller.h"
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
    connect(parts.actions.at(ActionId::tour), &QAction::triggered, this, &TourController::start);
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
    m_parts.actions.at(ActionId::openDemo)->trigger();
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
    }
    m_parts.actions.at(ActionId::fitAll)->trigger();
    go(1);
}

void TourController::go(int number)
{
    if (number > kStops) return end();
    m_stop = number;
    m_parts.actions.at(ActionId::showTimeline)->trigger();
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

TourStop TourController::stopAt(int number) const
{
    switch (number) {
    case 1:
        return {.title = tr("Every rank on one axis"),
                .text =
                    tr("A lane is a rank, below it are its threads and GPUs; ranges called step are training "
                       "steps. W and S zoom at the cursor, A and D move, F fits, ? lists all keys. Try them: "
                       "the tour waits."),
                .anchor = m_parts.pages.at<TimelinePageController>().widget()};
    case 2:
        return stragglers();
    case 3:
        return {
            .title = tr("How far the clocks may be off"),
            .text = tr(
                "Each host has a clock of its own. This table says how each report was put on the axis, and "
                "within which bound that is true. What lies closer together than the bound has no known "
                "order, and is drawn so."),
            .anchor = raised<AlignmentPanel>(m_parts)};
    case 4:
        return jump();
    case 5:
        m_parts.actions.at(ActionId::fitAll)->trigger(); // they are of what is seen
        return {.title = tr("What is worth mending"),
                .text =
                    tr("Findings come from rules, worst first: what each costs in a step, the numbers it was "
                       "told from, and what helps. ? beside the tabs opens the help of the panel in front."),
                .anchor = raised<FindingsPanel>(m_parts)};
    case 6:
        return memory();
    case 7:
        return {.title = tr("Find anything"),
                .text =
                    tr("/ searches names, arguments and durations in all ranks: try step, or rank:0 dur>1ms. "
                       "After > the same field runs any command, finds any setting and opens any analysis."),
                .anchor = m_parts.strip.searchField()};
    default: {
        auto& menu = *static_cast<QMainWindow&>(m_parts.window).menuBar();
        return {
            .title = tr("Keep it, and send it"),
            .text = tr(
                "File > Save workspace keeps reports, clocks, marks and view in one file that opens without "
                "the reports. lockstep --export report -o run.html FILES makes a page to send; under "
                "each table stands the command that makes it."),
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
            .title = tr("Who keeps the others waiting"),
            .text = tr(
                "Not in these reports: they hold no collectives of several ranks that match. Where they do, "
                "this table names the rank that comes last and how long the others waited."),
            .isAbsent = true,
            .anchor = panel};
    return {
        .title = tr("Who keeps the others waiting"),
        .text =
            tr("A collective ends when its last rank has come. The first row is the rank that came last most "
               "expensively: how often, and for how long the others waited. The list at the left has every "
               "other table."),
        .anchor = panel};
}

// To the collective that the first of the stragglers came last to.
TourStop TourController::jump() const
{
    const AnalysisPanel& analyses = m_parts.docks.at<AnalysisPanel>();
    const Table* const table = analyses.table();
    const bool isOfStragglers =
        analyses.list()->current() != nullptr && analyses.list()->current()->name == kStragglers;
    const bool hasRow = isOfStragglers && table != nullptr && table->rowCount() > 0;
    if (!hasRow || !m_parts.reports.scene()->holds(table->longest(0)))
        return {.title = tr("From a number to the place"),
                .text = tr(
                    "There is no row of stragglers to go to here. In any table a click on a row leads to its "
                    "longest instance: a kernel, a call or a collective."),
                .isAbsent = true,
                .anchor = raised<DetailsPanel>(m_parts)};
    m_parts.view.reveal(table->longest(0), true);
    return {
        .title = tr("From a number to the place"),
        .text = tr(
            "A row leads to what it counts: this is the collective that the late rank made others wait for "
            "longest, a kernel where GPUs are recorded. Details says which row of which file it is; O "
            "finds the same on the other ranks, X lights what caused it."),
        .anchor = raised<DetailsPanel>(m_parts)};
}

TourStop TourController::memory() const
{
    QWidget* const panel = raised<MemoryPanel>(m_parts);
    if (memorySources(*m_parts.reports.scene()).empty())
        return {.title = tr("GPU memory"),
                .text = tr(
                    "Nothing here recorded memory. Open a PyTorch memory snapshot beside a trace of the same "
                    "process: it stands under its kernels, and this panel says what was alive, from which "
                    "stack, and what leaks."),
                .isAbsent = true,
                .anchor = panel};
    return {
        .title = tr("GPU memory"),
        .text = tr(
            "What was alive at a moment, by size, life and stack; segments and gaps; what leaks from step to "
            "step. The lane of memory under a GPU leads here."),
        .anchor = panel};
}

} // namespace lockstep
