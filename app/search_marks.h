// SPDX-License-Identifier: Apache-2.0
// SearchMarks: the hits of the window's search in the timelines that are shown: its own and, while something
// is compared, the other half, whose reports are searched for themselves where the window has not opened
// them. UI thread.
#pragma once

#include "app/name_search.h"
#include "core/timeline/hit_rows.h"

namespace lockstep {

class CompareView;
class TimelineView;

class SearchMarks : public QObject {
    Q_OBJECT

  public:
    // Both outlive it.
    SearchMarks(TimelineView& own, const CompareView& compared, Workers workers);

    void setText(const QString& text, SearchSwitches switches);
    // hits: all of the window's reports; null: not known yet, or none are searched for. Again where the
    // timelines show another scene or hits are others.
    void mark(std::shared_ptr<const EventHits> hits);
    // What is known of hits that are not among the window's: "B: 14 found"; empty: nothing.
    QString otherState() const;
    bool isBusy() const { return m_otherSearch.isRunning() || m_job.isRunning(); }

  signals:
    void stateChanged();

  private:
    struct Marks {
        std::shared_ptr<const HitRows> own, other;
        ScenePtr otherScene; // null: nothing was compared
    };

    bool isOtherSearched() const;
    void take(const Result<Marks>& marks);

    TimelineView& m_own;
    const CompareView& m_compared;
    const ScenePtr m_nothing = std::make_shared<const Scene>();
    NameSearch m_otherSearch; // of nothing where the window's hits are those of both halves
    std::shared_ptr<const EventHits> m_hits;
    LatestJob<Marks> m_job;
};

} // namespace lockstep
