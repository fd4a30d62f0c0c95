// NameSearch: what the search field looks for and where it stands: runs SliceSearch off the UI thread, the
// newest text counts, and steps through the matches. UI thread.
#pragma once

#include <functional>
#include <memory>

#include <QString>

#include "core/scene/scene.h"
#include "core/timeline/slice_search.h"
#include "ui/async/latest_job.h"

namespace lockstep {

// "text" is found anywhere in a name, "/text/" is a regular expression.
SearchQuery searchQueryOf(const QString& text);

class NameSearch {
  public:
    // changed is told when a search started or ended and when a step was made.
    explicit NameSearch(std::function<void()> changed);

    // Never null. The search starts over where other reports are shown.
    void setScene(const ScenePtr& scene);
    // Empty ends the search.
    void setText(const QString& text);
    // The match after (before) `from`, around the end; invalid when there is none.
    SliceRef step(SliceRef from, bool isForward);
    // "3 of 120", "120 found", "no match", "searching ..."; empty without a search.
    QString state() const;
    bool isRunning() const { return m_job.isRunning(); }

  private:
    void start();

    std::function<void()> m_changed;
    ScenePtr m_scene = std::make_shared<const Scene>();
    QString m_text;
    QString m_error;
    std::shared_ptr<const SliceSearch> m_found;
    SliceRef m_at;
    LatestJob<std::shared_ptr<const SliceSearch>> m_job;
};

} // namespace lockstep
