// NameSearch: what the search field looks for and where it stands: finds slices by name and steps through
// them, both off the UI thread. The newest text counts; of steps asked for while one is made, the last. UI
// thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include <QObject>

#include "core/scene/scene.h"
#include "core/timeline/slice_search.h"
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
    // To the match after (before) `from`, around the end: steppedTo() when there is one.
    void step(SliceRef from, bool isForward);
    // "3 of 120", "120 found", "no match", "searching ..."; empty without a search.
    QString state() const;
    bool isRunning() const { return m_job.isRunning() || m_step.isRunning(); }

  signals:
    void stateChanged();
    void steppedTo(SliceRef slice);

  private:
    struct Match {
        SliceRef slice; // invalid: there is none
        uint64_t index = 0;
    };

    void start();
    void takeStep(const Result<Match>& outcome);

    ScenePtr m_scene = std::make_shared<const Scene>();
    QString m_text;
    QString m_error;
    std::shared_ptr<const SliceSearch> m_found;
    Match m_at;
    std::optional<bool> m_nextStep; // forward or back, once the present one is made
    LatestJob<std::shared_ptr<const SliceSearch>> m_job;
    LatestJob<Match> m_step;
};

} // namespace lockstep
