// SPDX-License-Identifier: Apache-2.0
// NameSearch finds slices and lanes that match the query in the search field, and steps through them. It
// works off the UI thread. The first hits are available before all hits are counted. A newer text replaces an
// older one; of several steps that are requested while a step runs, only the last one is executed. UI thread.
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

    // Sets the scene (never null). Restarts the search if the visible reports or their alignment changed.
    void setScene(const ScenePtr& scene);
    // Sets the query, see parseEventQuery(). An empty string ends the search.
    void setText(const QString& text, SearchSwitches switches = {});
    // Steps to the next (or previous) match from the selected slice, or from the lane of the last step. The
    // search wraps around. Emits steppedTo() or steppedToLane() if there is a match.
    void step(SliceRef inFocus, bool isForward);
    // Goes to a row of found()->slices().
    void goTo(uint64_t row);
    // Returns "3 of 120", "120 found", "no match", "searching…"; an empty string if there is no search.
    QString state() const;
    bool isRunning() const { return m_job.isRunning() || m_step.isRunning() || m_soon.isActive(); }
    // Returns the hits, at first only some of them; nullptr before the first hits or after an error.
    const std::shared_ptr<const SceneSearch>& found() const { return m_found != nullptr ? m_found : m_first; }
    // Returns the parsed query; empty if the text is invalid.
    const EventQuery& query() const { return m_query; }
    const QString& error() const { return m_error; }
    // Returns the progress of reading arguments, 0 to 1, or nullopt if no arguments are being read.
    std::optional<double> fraction() const;

  signals:
    void stateChanged();
    void foundChanged();
    void steppedTo(SliceRef slice);
    void steppedToLane(const QString& key);

  private:
    struct Match {
        SearchResult find;
        uint64_t index = 0;
    };
    struct ProgressCounts {
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
    SliceRef m_lastSelected;        // selected slice at the last step
    std::optional<bool> m_nextStep; // direction of the step that follows the current one
    std::shared_ptr<ProgressCounts> m_counts = std::make_shared<ProgressCounts>();
    QTimer m_soon; // delay before files are read while the user types
    QTimer m_poll; // emits stateChanged() periodically while files are read, so that the progress in m_counts
                   // is shown
    LatestJob<std::shared_ptr<const SceneSearch>> m_firstJob;
    LatestJob<std::shared_ptr<const SceneSearch>> m_job;
    LatestJob<Match> m_step;
};

} // namespace lockstep
