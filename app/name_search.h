// SPDX-License-Identifier: Apache-2.0
// NameSearch: what the search field looks for and where it stands: finds slices and lanes by name and
// steps through them, both off the UI thread. The newest text counts; of steps asked for while one is made,
// the last. UI thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include <QObject>

#include "core/scene/scene.h"
#include "core/timeline/scene_search.h"
#include "ui/async/latest_job.h"

namespace lockstep {

// "text" is found anywhere in a name, "/text/" is a regular expression.
SearchQuery searchQueryOf(const QString& text);

class NameSearch : public QObject {
    Q_OBJECT

  public:
    explicit NameSearch(Workers workers, QObject* parent = nullptr);

    // Never null. The search starts over where other reports are shown.
    void setScene(const ScenePtr& scene);
    // Empty ends the search.
    void setText(const QString& text);
    // To the match after (before) the slice in hand, or after the lane that was stepped to last, around the
    // end: one of the two signals when there is one.
    void step(SliceRef inHand, bool isForward);
    // "3 of 120", "120 found", "no match", "searching ..."; empty without a search.
    QString state() const;
    bool isRunning() const { return m_job.isRunning() || m_step.isRunning(); }

  signals:
    void stateChanged();
    void steppedTo(SliceRef slice);
    void steppedToLane(const QString& key);

  private:
    struct Match {
        SearchFind find;
        uint64_t index = 0;
    };

    void start();
    void takeStep(const Result<Match>& outcome);

    ScenePtr m_scene = std::make_shared<const Scene>();
    QString m_text;
    QString m_error;
    std::shared_ptr<const SceneSearch> m_found;
    Match m_at;
    SliceRef m_inHand;              // when it was stepped last
    std::optional<bool> m_nextStep; // forward or back, once the present one is made
    LatestJob<std::shared_ptr<const SceneSearch>> m_job;
    LatestJob<Match> m_step;
};

} // namespace lockstep
