// SPDX-License-Identifier: Apache-2.0
// QueryLanesController shows the answers of SQL queries as lanes. The user adds lanes in the SQL panel and
// removes them in the menu of their header. The WorkDocument holds the queries, not their rows: a query is
// run again, off the UI thread, when a workspace file is opened and when reports, identities or clocks
// change, because the times of rows are only valid for one alignment. Owned by the timeline. UI thread.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include "app/window/window_parts.h"
#include "core/analysis/table.h"
#include "core/lanes/query_lanes.h"
#include "ui/async/latest_job.h"
#include "ui/models/work.h"

class QMenu;

namespace lockstep {

class TimelineView;

class QueryLanesController : public QObject {
    Q_OBJECT

  public:
    // A query runs again after a pause of kTimesCost times its last duration, at most kMaxPause_ms. The pause
    // limits how much time is spent on queries while reports of a running capture arrive.
    static constexpr int kTimesCost = 3, kMaxPause_ms = 10'000;

    QueryLanesController(TimelineView& timeline, const WindowParts& parts);

    // Adds lanes below those of earlier queries. If `answer` is null, the query is run.
    void add(const QString& title, const QString& query, std::shared_ptr<const Table> answer);
    void remove(int64_t number);
    bool isBusy() const { return m_job.isRunning() || (m_pause.isActive() && stale() != nullptr); }

  private:
    // The lanes of a query, from the data of a scene.
    struct Built {
        LaneQuery query;
        std::shared_ptr<const QueryLanes> lanes; // without slices until the query was run
        uint64_t dataGeneration = 0;
        bool isDone = false; // the query was run
    };
    using LanesPtr = std::shared_ptr<const QueryLanes>;

    const LaneQueries& queries() const;
    void follow();
    void update();
    const Built* stale() const;
    void start(const Built& built);
    void take(const Result<LanesPtr>& outcome);
    void announce(const QueryLanes& lanes);
    void show();
    void reveal();
    void offerRemoval(const std::string& lane, QMenu& menu);

    TimelineView& m_timeline;
    WindowParts m_parts;
    std::vector<Built> m_built; // one per query, in the same order
    QueryLaneList m_shown;      // the lanes of the next scene
    // The query that was added last, until its lanes are built: its number (0 for none), and its answer, if
    // it is known, from the data with this Scene::dataGeneration.
    int64_t m_added = 0;
    std::shared_ptr<const Table> m_answer;
    uint64_t m_answerGeneration = 0;
    std::string m_toReveal; // key of the lane to scroll to; empty for none
    int64_t m_running = 0;  // number of the query in the job
    uint64_t m_runningGeneration = 0;
    QElapsedTimer m_since;
    QTimer m_pause;
    LatestJob<LanesPtr> m_job;
};

} // namespace lockstep
