// SPDX-License-Identifier: Apache-2.0
#include "app/window/query_lanes_controller.h"

#include <algorithm>
#include <utility>

#include <QMenu>

#include "app/window/panel_docks.h"
#include "app/window/workspace_controller.h"
#include "core/sql/query_lane_rows.h"
#include "core/sql/sql_query.h"
#include "core/sql/stored_queries.h"
#include "ui/models/work_document.h"
#include "ui/sql/sql_panel.h"
#include "ui/timeline/timeline_view.h"
#include "ui/window/notices.h"

namespace lockstep {

namespace {

// Runs the query, unless its answer is known. A query that fails has a header that states the reason.
Result<std::shared_ptr<const QueryLanes>> makeLanes(const LaneQuery& of, const ScenePtr& scene,
                                                    std::shared_ptr<const Table> answer,
                                                    const Progress& progress)
{
    if (answer == nullptr) {
        auto tables = runQuery(of.query, scene, {kMaxQueryLaneRows}, progress);
        if (!tables && tables.error().kind == ErrorKind::canceled) return tl::make_unexpected(tables.error());
        if (!tables)
            return std::make_shared<const QueryLanes>(
                emptyQueryLanes(of.number, of.title, "query failed", tables.error().message));
        answer = std::make_shared<const Table>(std::move(tables->back()));
    }
    return std::make_shared<const QueryLanes>(queryLanesOf(*answer, of.number, of.title, scene->extent()));
}

} // namespace

QueryLanesController::QueryLanesController(TimelineView& timeline, const WindowParts& parts)
    : QObject(&timeline), m_timeline(timeline), m_parts(parts),
      m_job([this](const Result<LanesPtr>& outcome) { take(outcome); }, parts.workers)
{
    m_pause.setSingleShot(true);
    connect(&m_pause, &QTimer::timeout, this, &QueryLanesController::update);
    connect(&parts.docks.at<SqlPanel>(), &SqlPanel::lanesRequested, this, &QueryLanesController::add);
    connect(&parts.document, &WorkDocument::changed, this, [this](const Work& before) {
        if (before.laneQueries != queries()) follow();
    });
    connect(&parts.reports, &WorkspaceController::sceneChanged, this, &QueryLanesController::update);
    connect(&parts.reports, &WorkspaceController::sceneChanged, this, &QueryLanesController::reveal,
            Qt::QueuedConnection); // queued, so that the timeline already has the new scene
    connect(&timeline.lanes(), &LaneTool::menuOpening, this, &QueryLanesController::offerRemoval);
}

const LaneQueries& QueryLanesController::queries() const
{
    return m_parts.document.work().laneQueries;
}

void QueryLanesController::add(const QString& title, const QString& query,
                               std::shared_ptr<const Table> answer)
{
    if (queries().size() == kMaxLaneQueries)
        return m_parts.notices.post(
            tr("No more than %1 queries can have lanes. Remove a lane first.").arg(kMaxLaneQueries));
    LaneQuery added{1, title.toStdString(), query.toStdString()};
    if (added.query.size() > kMaxStoredQuery_bytes)
        return m_parts.notices.post(tr("The query is longer than %L1 bytes, so its lane can't be saved.")
                                        .arg(qulonglong(kMaxStoredQuery_bytes)));
    for (const LaneQuery& one : queries())
        added.number = std::max(added.number, one.number + 1);
    m_added = added.number;
    m_answer = std::move(answer);
    m_answerGeneration = m_parts.reports.scene()->dataGeneration;
    m_parts.document.edit(tr("show \"%1\" as lane").arg(title),
                          [&](Work& work) { work.laneQueries.push_back(std::move(added)); });
}

void QueryLanesController::remove(int64_t number)
{
    const auto found = std::ranges::find(queries(), number, &LaneQuery::number);
    if (found == queries().end()) return;
    const QString title = QString::fromStdString(found->title);
    m_parts.document.edit(tr("remove lane \"%1\"").arg(title), [&](Work& work) {
        std::erase_if(work.laneQueries, [&](const LaneQuery& one) { return one.number == number; });
    });
}

// Builds the lanes of new queries; those of queries that remain are not built again.
void QueryLanesController::follow()
{
    std::vector<Built> built;
    for (const LaneQuery& one : queries()) {
        const auto existing = std::ranges::find(m_built, one, &Built::query);
        if (existing != m_built.end()) {
            built.push_back(*existing);
            continue;
        }
        const auto waiting = std::make_shared<const QueryLanes>(
            emptyQueryLanes(one.number, one.title, "query is running", "The query is running."));
        built.push_back({one, waiting, 0, false});
    }
    m_built = std::move(built);
    if (std::ranges::find(queries(), m_added, &LaneQuery::number) == queries().end()) {
        m_added = 0;
        m_answer = nullptr;
    }
    m_job.cancel();
    m_pause.stop();
    update();
}

// Returns a query whose lanes are missing or, if there is none, one whose lanes are from older data.
const QueryLanesController::Built* QueryLanesController::stale() const
{
    const Scene& scene = *m_parts.reports.scene();
    if (scene.shown.isEmpty()) return nullptr;
    const auto isOld = [&](const Built& one) { return one.dataGeneration != scene.dataGeneration; };
    auto found = std::ranges::find(m_built, false, &Built::isDone);
    if (found == m_built.end()) found = std::ranges::find_if(m_built, isOld);
    return found == m_built.end() ? nullptr : &*found;
}

// Runs the next query that is due. Earlier lanes stay until the new ones are complete.
void QueryLanesController::update()
{
    show();
    const Built* const due = m_job.isRunning() ? nullptr : stale();
    if (due != nullptr && (!due->isDone || !m_pause.isActive())) start(*due);
}

void QueryLanesController::start(const Built& built)
{
    const ScenePtr scene = m_parts.reports.scene();
    m_running = built.query.number;
    m_runningGeneration = scene->dataGeneration;
    std::shared_ptr<const Table> answer;
    if (m_running == m_added && m_runningGeneration == m_answerGeneration) answer = m_answer;
    m_since.start();
    m_job.start([query = built.query, scene, answer = std::move(answer)](const Progress& progress) {
        return makeLanes(query, scene, answer, progress);
    });
}

void QueryLanesController::take(const Result<LanesPtr>& outcome)
{
    const auto isRunning = [this](const Built& one) { return one.query.number == m_running; };
    const auto built = std::ranges::find_if(m_built, isRunning);
    if (built == m_built.end()) return update();
    const LaneQuery& query = built->query;
    built->lanes = outcome ? *outcome
                           : std::make_shared<const QueryLanes>(emptyQueryLanes(
                                 query.number, query.title, "query failed", outcome.error().message));
    built->dataGeneration = m_runningGeneration;
    built->isDone = true;
    const auto cost_ms = static_cast<int>(std::min<qint64>(m_since.elapsed(), kMaxPause_ms));
    m_pause.start(std::min(kTimesCost * cost_ms, kMaxPause_ms));
    if (m_running == m_added) announce(*built->lanes);
    update();
}

// Reports lanes that the user added, and scrolls to them once they are in the scene.
void QueryLanesController::announce(const QueryLanes& lanes)
{
    m_added = 0;
    m_answer = nullptr;
    m_toReveal = queryLaneKey(lanes.number);
    const QString title = QString::fromStdString(lanes.title), value = QString::fromStdString(lanes.value);
    m_parts.notices.post(value.isEmpty() ? tr("Lane \"%1\" added").arg(title)
                                         : tr("Lane \"%1\" added: %2").arg(title, value));
}

// Passes the lanes to the next scene if they changed.
void QueryLanesController::show()
{
    QueryLaneList lanes;
    if (!m_parts.reports.scene()->shown.isEmpty()) {
        for (const Built& one : m_built)
            lanes.push_back(one.lanes);
    }
    if (lanes == m_shown) return;
    m_shown = lanes;
    m_parts.reports.setQueryLanes(std::move(lanes));
}

void QueryLanesController::reveal()
{
    if (m_toReveal.empty() || m_timeline.state().tree().find(m_toReveal) == kNoLane) return;
    m_timeline.lanes().showLane(QString::fromStdString(std::exchange(m_toReveal, {})));
}

void QueryLanesController::offerRemoval(const std::string& lane, QMenu& menu)
{
    const int64_t number = queryOfLaneKey(lane);
    if (number == 0) return;
    menu.addSeparator();
    menu.addAction(tr("Remove lane"), this, [this, number] { remove(number); });
}

} // namespace lockstep
