// SPDX-License-Identifier: Apache-2.0
#include "app/window/timeline_page_controller.h"

#include <algorithm>

#include "app/window/settings.h"

#include "app/window/compare_controller.h"
#include "app/window/export_controller.h"
#include "app/window/go_to_controller.h"
#include "app/window/lane_edits.h"
#include "app/window/lane_sets_controller.h"
#include "app/window/marks_controller.h"
#include "app/window/panel_docks.h"
#include "app/window/query_lanes_controller.h"
#include "app/window/views_controller.h"
#include "app/window/workspace_controller.h"
#include "ui/compare/compare_view.h"
#include "ui/events/events_panel.h"
#include "ui/panels/alignment_panel.h"
#include "ui/panels/crumb_bar.h"
#include "ui/panels/kernel_panel.h"
#include "ui/panels/notice_bar.h"
#include "ui/panels/reports_panel.h"
#include "ui/panels/top_strip.h"
#include "ui/timeline/distant_report_bar.h"
#include "ui/timeline/slice_commands.h"
#include "ui/timeline/timeline_view.h"
#include "ui/window/notices.h"
#include "ui/window/view_state.h"

namespace lockstep {

TimelinePageController::TimelinePageController(const WindowParts& parts)
    : ReportsPage(parts.document.undoStack()), m_parts(parts),
      m_timeline(new TimelineView(parts.view, parts.notices, parts.workers, &parts.window)),
      m_view(new CompareView(*m_timeline, parts.workers, &parts.window)),
      m_search(new SearchController(parts, *m_timeline, *m_view))
{
    applySettings();
    parts.settings.bind("timeline/", this, [this] { applySettings(); });
    m_rest.setSingleShot(true);
    m_rest.setInterval(250);
    connect(&m_rest, &QTimer::timeout, this, &TimelinePageController::settleView);
    connect(&parts.view, &ViewState::visibleChanged, &m_rest, qOverload<>(&QTimer::start));
    connect(&m_timeline->lanes(), &LaneTool::lanesEdited, this, &TimelinePageController::groupLanes);
    connect(&m_timeline->lanes(), &LaneTool::laneStateChanged, this, &TimelinePageController::groupLanes);
    connect(&m_timeline->lanes(), &LaneTool::laneStateChanged, this,
            &TimelinePageController::showHiddenReports);
    connect(&m_timeline->navigation(), &NavigationTool::navigated, this, &TimelinePageController::navigated);
    connect(&m_timeline->laneDrag(), &LaneDragTool::shiftRequested, this, &TimelinePageController::shift);
    connect(&m_timeline->hover(), &HoverTool::sliceHovered, &m_hover, &HoverText::setSlice);
    connect(&m_hover, &HoverText::found, &m_timeline->hover(), &HoverTool::setText);
    new LaneEdits(*m_timeline, parts); // owned by the timeline, as are the next six
    new MarksController(*m_timeline, parts);
    m_goTo = new GoToController(*m_timeline, parts);
    m_views = new ViewsController(*m_timeline, parts);
    m_laneSets = new LaneSetsController(*m_timeline, parts);
    m_queryLanes = new QueryLanesController(*m_timeline, parts);
    m_export = new ExportController(*m_timeline, parts);
    m_compare = new CompareController(*m_view, *m_timeline, parts); // owned by the view
    connect(m_compare, &CompareController::compared, m_search, &SearchController::mark);
    connectActions();
    connectClocks();
    connectStrip();
    connectSlices();
}

void TimelinePageController::connectActions()
{
    const auto on = [this](CommandId id, auto&& run) {
        connect(m_parts.actions.at(id), &QAction::triggered, this, run);
    };
    on(CommandId::find, [this] { m_parts.strip.startSearch({}); });
    on(CommandId::findLane, [this] { m_parts.strip.startSearch("lane:"); });
    on(CommandId::findNext, [this] { m_search->step(true); });
    on(CommandId::findPrevious, [this] { m_search->step(false); });
    connect(m_timeline, &TimelineView::commandRequested, this, [this](CommandId command) {
        if (command == CommandId::showInEvents) return showSlice(false);
        if (command == CommandId::showInKernels) return showSlice(true);
        if (command == CommandId::compareStep) return m_compare->chooseSides();
        if (command == CommandId::showLog) return emit logRequested();
        m_parts.actions.at(command)->trigger();
    });
    connect(&m_timeline->lanes(), &LaneTool::menuOpening, this, &TimelinePageController::laneMenuOpening);
    for (const CommandSpec& spec : commandSpecs()) {
        if (spec.scope != KeyScope::timeline || !m_timeline->canRun(spec.id)) continue;
        on(spec.id, [this, command = spec.id] {
            emit frontRequested();
            m_timeline->run(command);
        });
    }
}

void TimelinePageController::connectClocks()
{
    DistantReportBar& far = *m_timeline->distantReportBar();
    connect(&far, &DistantReportBar::moveAdjacentRequested, this,
            [this](ReportKey report, Duration by) { shift({report}, by); });
    connect(&far, &DistantReportBar::alignByStepRequested, this,
            [this] { m_parts.docks.at<AlignmentPanel>().alignBySteps(); });
    connect(&m_timeline->navigation(), &NavigationTool::rulerTimeChanged, this,
            [this](RulerTime time) { m_parts.settings.setRulerTime(time); });
}

void TimelinePageController::connectSlices()
{
    connect(&m_timeline->lanes(), &LaneTool::hiddenNamesChanged, &m_parts.view, &ViewState::setHiddenNames);
}

void TimelinePageController::showSlice(bool inKernels)
{
    const SliceRef slice = m_parts.view.slice();
    const Report& report = m_parts.reports.scene()->shown.report(slice.report);
    if (!inKernels) {
        EventsPanel& events = m_parts.docks.at<EventsPanel>();
        events.filterByName(std::string(report.nameOf(slice.slice)));
        return m_parts.docks.raise(events);
    }
    if (report.slices.kind[slice.slice.value] != RowKind::kernel)
        return m_parts.notices.post(
            tr("This slice is not a kernel, so the kernel summary does not count it"));
    KernelPanel& kernels = m_parts.docks.at<KernelPanel>();
    kernels.showKernel(std::string(report.shortNameOf(slice.slice)));
    m_parts.docks.raise(kernels);
}

void TimelinePageController::connectStrip()
{
    TopStrip& strip = m_parts.strip;
    connect(&strip.trail(), &CrumbBar::zoomRequested, &m_parts.view, &ViewState::setVisible);
    connect(&strip, &TopStrip::laneFilterChanged, &m_timeline->lanes(), &LaneTool::setFilter);
}

QWidget* TimelinePageController::widget() const
{
    return m_view;
}

std::vector<CommandId> TimelinePageController::actions() const
{
    std::vector<CommandId> all;
    for (const CommandSpec& spec : commandSpecs()) {
        if (spec.needsTimeline) all.push_back(spec.id);
    }
    return all;
}

void TimelinePageController::setKeys(const KeyMap& keys)
{
    m_timeline->setKeys(TimelineKeyMap(keys));
    m_view->updateKeys();
}

void TimelinePageController::applySettings()
{
    const Settings& settings = m_parts.settings;
    m_timeline->navigation().setGapRule(settings.gapRule());
    m_timeline->navigation().setRulerTime(settings.rulerTime());
    LaneState lanes = m_timeline->lanes().laneState();
    if (lanes.rowHeight == settings.rowHeight()) return;
    lanes.setRowHeights(settings.rowHeight());
    m_timeline->lanes().setLaneState(lanes);
    m_parts.document.adopt([&](Work& work) { work.lanes = lanes; });
}

void TimelinePageController::setTheme(const Theme& theme)
{
    m_timeline->setTheme(theme);
    m_view->setTheme(theme);
    m_search->setTheme(theme);
}

void TimelinePageController::setScene(const ScenePtr& scene)
{
    const TimeRange whole = scene->extent();
    const std::vector<TimeRange>& crumbs = m_trail.crumbs();
    // While reports are opened, the view shows all of them until the user zooms or pans.
    const bool followsWhole = crumbs.size() <= 1 && !m_hasFollowed;
    if (whole.isEmpty()) m_hasFollowed = m_isFollowing;
    if (!m_compare->applyScene(scene)) m_timeline->setScene(scene);
    if (crumbs.empty() || crumbs.front() != whole) m_trail.setWhole(whole);
    if (followsWhole && !whole.isEmpty()) m_timeline->navigation().fitAll();
    restoreView();
    showHiddenReports();
    m_search->setScene(scene);
    m_hover.setScene(scene);
    settleView();
}

void TimelinePageController::settleView()
{
    if (m_isFollowing) {
        m_trail.follow(m_parts.view.visible());
    } else {
        m_trail.visit(m_parts.view.visible());
    }
    m_parts.strip.trail().setTrail(m_trail);
}

void TimelinePageController::setFollowing(bool follows)
{
    m_isFollowing = follows;
    m_hasFollowed |= follows;
    settleView();
}

void TimelinePageController::showAtOnce(TimeRange aligned)
{
    m_timeline->navigation().showAtOnce(aligned);
}

void TimelinePageController::glideTo(TimeRange aligned)
{
    m_timeline->navigation().glideTo(aligned);
}

bool TimelinePageController::canGlide() const
{
    return m_timeline->navigation().canGlide();
}

bool TimelinePageController::isBusy() const
{
    const bool isMoving = m_rest.isActive() && !m_isFollowing; // a view that follows data never rests
    return m_compare->isBusy() || m_search->isBusy() || isMoving || m_goTo->isBusy() ||
           m_queryLanes->isBusy() || m_export->isBusy() || m_timeline->sliceCommands().isBusy();
}

void TimelinePageController::addTo(Work& work) const
{
    if (!m_parts.reports.scene()->shown.isEmpty()) work.visible = m_parts.view.visible();
    work.selected = m_parts.view.range();
    work.openedGaps = m_timeline->state().window.opened();
    work.lanes = m_timeline->lanes().laneState();
}

void TimelinePageController::restore(const Work& work, std::optional<int64_t> axisUtc_ns)
{
    m_timeline->lanes().setLaneState(work.lanes);
    groupLanes();
    showHiddenReports();
    m_toRestore = work;
    m_restoredAxisUtc_ns = axisUtc_ns;
}

// A new grouping needs a new lane tree, which is built off this thread.
void TimelinePageController::groupLanes()
{
    const LaneState& lanes = m_timeline->lanes().laneState();
    const std::pair arrangement(lanes.grouping, lanes.samples);
    if (std::exchange(m_arrangement, arrangement) != arrangement)
        m_parts.reports.setLaneArrangement(lanes.grouping, lanes.samples);
}

// Marks in the Reports panel the reports whose lanes are all hidden, for example by "Show only this lane".
void TimelinePageController::showHiddenReports()
{
    m_parts.docks.at<ReportsPanel>().setHiddenLanes(
        reportsWithoutVisibleLanes(m_timeline->state().tree(), m_timeline->lanes().laneState()));
}

// Moves the times of the work from the axis on which they were set to the current one.
void TimelinePageController::moveToCurrentAxis(Work& work) const
{
    const std::optional<int64_t>& now_ns = m_parts.reports.scene()->alignment.utcAtZero_ns;
    if (!m_restoredAxisUtc_ns || !now_ns || m_restoredAxisUtc_ns == now_ns) return;
    const Duration by{*m_restoredAxisUtc_ns - *now_ns};
    const auto move = [by](TimeRange& range) { range = {range.begin + by, range.end + by}; };
    if (work.visible) move(*work.visible);
    if (work.selected) move(*work.selected);
    std::ranges::for_each(work.openedGaps, move);
    m_parts.document.adopt([&](Work& own) { own.openedGaps = work.openedGaps; });
}

void TimelinePageController::restoreView()
{
    if (!m_toRestore || m_parts.reports.isBusy()) return;
    Work work = *std::exchange(m_toRestore, std::nullopt);
    moveToCurrentAxis(work);
    m_timeline->navigation().setOpenedGaps(work.openedGaps);
    m_parts.view.setRange(work.selected);
    if (work.visible) m_parts.view.setVisible(*work.visible);
}

void TimelinePageController::shift(const std::vector<ReportKey>& reports, Duration by)
{
    AlignmentPanel& clocks = m_parts.docks.at<AlignmentPanel>();
    if (clocks.moveBy(reports, by)) return;
    m_timeline->laneDrag().cancelShift();
    m_parts.notice.showNotice(
        NoticeBar::Tone::quiet,
        tr("This report's clock is locked. Unlock the clock in the Alignment panel to shift the report."),
        {{tr("Show panel"), [this, &clocks] { m_parts.docks.raise(clocks); }}, {tr("Dismiss"), [] {}}});
}

} // namespace lockstep
