// SPDX-License-Identifier: Apache-2.0
// SearchHighlighter highlights the search hits on the window's timeline and, during a comparison, on the
// other pane. Reports in the other pane that are not open in the window are searched separately. UI thread.
#pragma once

#include "app/window/name_search.h"
#include "core/timeline/hit_rows.h"

namespace lockstep {

class CompareView;
class TimelineView;

class SearchHighlighter : public QObject {
    Q_OBJECT

  public:
    // `own` and `compared` must outlive this object.
    SearchHighlighter(TimelineView& own, const CompareView& compared, Workers workers);

    void setText(const QString& text, SearchSwitches switches);
    // Highlights `hits`, which cover all reports of the window; nullptr if there are none or they are not
    // known yet. Call again when the scene of a timeline or the hits change.
    void mark(std::shared_ptr<const EventHits> hits);
    // Returns the state of the separate search, such as "B: 14 found", or an empty string.
    QString otherState() const;
    bool isBusy() const { return m_otherSearch.isRunning() || m_job.isRunning(); }

  signals:
    void stateChanged();

  private:
    struct HighlightedRows {
        std::shared_ptr<const HitRows> own, other;
        ScenePtr otherScene; // null if there is no comparison
    };

    bool isOtherSearched() const;
    void take(const Result<HighlightedRows>& marks);

    TimelineView& m_own;
    const CompareView& m_compared;
    const ScenePtr m_emptyScene = std::make_shared<const Scene>();
    // Search in the other pane; has an empty scene if the window's hits cover both panes.
    NameSearch m_otherSearch;
    std::shared_ptr<const EventHits> m_hits;
    LatestJob<HighlightedRows> m_job;
};

} // namespace lockstep
