// SPDX-License-Identifier: Apache-2.0
#include "app/window/run_navigator.h"

#include <algorithm>

#include <QMenu>

#include "app/window/command_actions.h"
#include "app/window/go_to_controller.h"
#include "app/window/open_controller.h"
#include "app/window/page_stack.h"
#include "app/window/run_page_controller.h"
#include "app/window/timeline_page_controller.h"
#include "app/window/workspace_controller.h"
#include "core/scene/host_time.h"
#include "ui/run/hosts_card.h"
#include "ui/run/ledger_card.h"
#include "ui/run/log_card.h"
#include "ui/run/run_page.h"
#include "ui/timeline/timeline_view.h"
#include "ui/window/notices.h"
#include "ui/window/view_state.h"

namespace lockstep {

RunNavigator::RunNavigator(const WindowParts& parts, QObject* parent)
    : QObject(parent), m_parts(parts), m_timeline(parts.pages.at<TimelinePageController>()),
      m_page(parts.pages.at<RunPageController>().page()), m_runs(parts.pages.at<RunPageController>().runs())
{
    connect(m_page.ledger(), &LedgerCard::showRequested, this, [this](size_t entry) {
        if (m_runs.run() != nullptr) showEntry(m_runs.run()->ledger().entries()[entry]);
    });
    connect(&parts.pages.at<RunPageController>(), &RunPageController::rankRequested, this,
            &RunNavigator::showRank);
    connect(m_page.log(), &LogCard::timelineRequested, this, [this](size_t host, int64_t time_ns) {
        if (m_runs.run() != nullptr) showTime(m_runs.run()->hosts()[host].host, time_ns);
    });
    connect(m_page.hosts(), &HostsCard::rankActivated, this, &RunNavigator::showRank);
    connect(&m_timeline, &TimelinePageController::logRequested, this, &RunNavigator::showLogOfSlice);
    connect(&m_timeline, &TimelinePageController::laneMenuOpening, this, &RunNavigator::offerLog);
}

void RunNavigator::showTime(const std::string& host, int64_t time_ns)
{
    const auto aligned = alignedFromHostTime(*m_parts.reports.scene(), host, time_ns);
    if (!aligned) return m_parts.notices.post(tr("No open report has a wall clock."));
    m_parts.actions.at(CommandId::showTimeline)->trigger();
    m_timeline.goTo().showPosition(*aligned);
}

bool RunNavigator::showRank(const std::string& host, int64_t rank)
{
    const SliceRef slice = lastSliceOf(*m_parts.reports.scene(), host, rank);
    if (!slice.isValid()) return false;
    m_parts.actions.at(CommandId::showTimeline)->trigger();
    m_parts.view.reveal(slice);
    return true;
}

void RunNavigator::showEntry(const LedgerEntry& entry)
{
    if (entry.knownRank() && showRank(entry.host, *entry.knownRank())) return;
    if (!entry.localPath.empty()) m_parts.opening.open({entry.localPath});
}

void RunNavigator::showLogOfSlice()
{
    const SliceRef slice = m_parts.view.slice();
    const ScenePtr scene = m_parts.reports.scene();
    if (!scene->holds(slice)) return m_parts.notices.post(tr("No slice selected. Click one first."));
    const Report& report = scene->shown.report(slice.report);
    const TraceTime begin = scene->alignment.map(slice.report)
                                .alignedFromTrace(TraceTime{report.slices.start_ns[slice.slice.value]});
    showLog(slice.report, m_parts.view.cursor().value_or(begin));
}

void RunNavigator::offerLog(const std::string& lane, QMenu& menu)
{
    const ScenePtr scene = m_parts.reports.scene();
    const uint32_t index = scene->tree->find(lane);
    if (m_runs.run() == nullptr || index == kNoLane || !scene->tree->lane(index).report.isValid()) return;
    menu.addSeparator();
    menu.addAction(tr("Show log at end of lane"), this, [this, lane] { showLogOfLane(lane); });
}

// All reports of the process count: the lane's own report may be an early capture of several.
void RunNavigator::showLogOfLane(const std::string& lane)
{
    const ScenePtr scene = m_parts.reports.scene();
    const uint32_t index = scene->tree->find(lane);
    if (index == kNoLane) return;
    ReportKey last = scene->tree->lane(index).report;
    const uint32_t process = scene->tree->processOf(index);
    const auto endOf = [&](ReportKey key) {
        return scene->alignment.map(key).alignedFromTrace(scene->shown.report(key).extent.end);
    };
    if (process != kNoLane) {
        for (const auto& member : scene->tree->lane(process).data.as<ProcessLaneData>()->members) {
            if (endOf(last) < endOf(member.first)) last = member.first;
        }
    }
    // A process prints its error before it ends. The log of its first failure begins with that line, which
    // may be earlier than the lane's end.
    if (const auto host = hostOf(last)) {
        const HostStatus& status = m_runs.run()->hosts()[*host];
        const LedgerEntry* const failure = m_runs.run()->ledger().firstFailure(status.host);
        const RunProblem* const cause = loggedCause(status);
        const bool isFailed = failure != nullptr && failure->knownRank() &&
                              failure->knownRank() == scene->shown.identity(last).rank.value;
        if (isFailed && cause != nullptr) return showLine(*host, cause->time_ns, cause->line);
    }
    showLog(last, endOf(last));
}

std::optional<size_t> RunNavigator::hostOf(ReportKey report) const
{
    if (m_runs.run() == nullptr) return std::nullopt;
    const std::string name = m_parts.reports.scene()->shown.identity(report).host.value.value_or("");
    const std::span<const HostStatus> hosts = m_runs.run()->hosts();
    auto host = std::ranges::find(hosts, name, &HostStatus::host);
    if (host == hosts.end() && hosts.size() == 1) host = hosts.begin();
    return host == hosts.end() ? std::nullopt : std::optional(static_cast<size_t>(host - hosts.begin()));
}

void RunNavigator::showLine(size_t host, int64_t time_ns, std::string_view text)
{
    m_parts.actions.at(CommandId::showRun)->trigger();
    m_page.log()->goTo(host, time_ns, text);
    m_page.log()->view()->setFocus(Qt::OtherFocusReason);
}

void RunNavigator::showLog(ReportKey report, TraceTime aligned)
{
    const ScenePtr scene = m_parts.reports.scene();
    if (m_runs.run() == nullptr) return m_parts.notices.post(tr("No run is open on the Run page."));
    const auto time_ns = hostTimeFromAligned(*scene, report, aligned);
    if (!time_ns) return m_parts.notices.post(tr("The report has no wall clock."));
    if (const auto host = hostOf(report)) return showLine(*host, *time_ns, {});
    const std::string name = scene->shown.identity(report).host.value.value_or("");
    m_parts.notices.post(
        tr("The run on the Run page has no host \u201C%1\u201D.").arg(QString::fromStdString(name)));
}

} // namespace lockstep
