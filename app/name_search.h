// SPDX-License-Identifier: Apache-2.0
// NameSearch: what the search field looks for and where it stands: finds slices and lanes by a query and
// steps through them, all off the UI thread; the first hits are there before the rest is counted. The newest
// text counts; of steps asked for while one is made, the last. UI thread.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>

#include <QObject>
#include <QTimer>

#include "core/scene/scene.h"
#include "core/timeline/scene_search.h"
#include "ui/async/latest_job.h"

namespace lockstep {

class NameSearch : public QObject {
    Q_OBJECT

  public:
    explicit NameSearch(Workers workers, QObject* parent = nullptr);

    // Never null. The search starts over where other reports are shown, or lie elsewhere on the axis.
    void setScene(const ScenePtr& scene);
    // Empty ends the search. See parseEventQuery().
    void setText(const QString& text, SearchSwitches switches = {});
    // To the match after (before) the slice in hand, or after the lane that was stepped to last, around the
    // end: one of the two signals when there is one.
    void step(SliceRef inHand, bool isForward);
    // To a row of found()->slices().
    void goTo(uint64_t row);
    // "3 of 120", "120 found", "no match", "searching ..."; empty without a search.
    QString state() const;
    bool isRunning() const { return m_job.isRunning() || m_step.isRunning() || m_soon.isActive(); }
    // What was found, or at first a beginning of it; null: nothing yet, or an error.
    const std::shared_ptr<const SceneSearch>& found() const { return m_found != nullptr ? m_found : m_first; }
    // By the text as it is; empty where that is no query.
    const EventQuery& query() const { return m_query; }
    const QString& error() const { return m_error; }
    // Of the slices whose arguments are read, 0..1; empty where none are.
    std::optional<double> fraction() const;

  signals:
    void stateChanged();
    void foundChanged();
    void steppedTo(SliceRef slice);
    void steppedToLane(const QString& key);

  private:
    struct Match {
        SearchFind find;
        uint64_t index = 0;
    };
    struct Told {
        std::atomic<uint64_t> done = 0, total = 0;
    };

    void start();
    void find();
    void takeStep(const Result<Match>& outcome);

    ScenePtr m_scene = std::make_shared<const Scene>();
    QString m_text;
    SearchSwitches m_switches;
    EventQuery m_query;
    QString m_error;
    std::shared_ptr<const SceneSearch> m_found, m_first;
    Match m_at;
    SliceRef m_inHand;              // when it was stepped last
    std::optional<bool> m_nextStep; // forward or back, once the present one is made
    std::shared_ptr<Told> m_told = std::make_shared<Told>();
    QTimer m_soon; // until files are read for a text that is still typed
    QTimer m_poll; // of m_told
    LatestJob<std::shared_ptr<const SceneSearch>> m_firstJob;
    LatestJob<std::shared_ptr<const SceneSearch>> m_job;
    LatestJob<Match> m_step;
};

} // namespace lockstep
