// SPDX-License-Identifier: Apache-2.0
// ViewState: where a window looks: the visible range, the selected slice and range, the time under the
// cursor, and what of it tables are made of. One for a window: the timeline, the panels and the status line
// write what their user does and follow what the others wrote. All times are aligned. UI thread.
#pragma once

#include <memory>
#include <optional>

#include <QObject>
#include <QString>
#include <QStringList>

#include "core/analysis/result_cache.h"
#include "core/analysis/scope.h"
#include "core/timeline/selection.h"

namespace lockstep {

enum class ScopeChoice : uint8_t { visible, selected, whole };

class ViewState : public QObject {
    Q_OBJECT

  public:
    using QObject::QObject;

    // Where the timeline came to rest, or where another part sent it. The timeline corrects what lies beyond
    // its bounds.
    TimeRange visible() const { return m_visible; }
    void setVisible(TimeRange range);

    SliceRef slice() const { return m_slice; }
    // An invalid one deselects.
    void setSlice(SliceRef slice);
    // The selected block of a memory lane. Of slice and block at most one is valid.
    const BlockRef& block() const { return m_block; }
    void setBlock(const BlockRef& block);
    // Selects it and brings it into sight, also where it is selected already. isZoomedTo: it fills the view.
    void reveal(SliceRef slice, bool isZoomedTo = false);

    // For the SQL panel: puts the query there, asks it and brings the panel to the front.
    void askQuery(const QString& query) { emit queryRequested(query); }

    const std::optional<TimeRange>& range() const { return m_range; }
    // The range's length and what it is good to; empty = nothing is known but the length.
    const QString& measure() const { return m_measure; }
    void setRange(const std::optional<TimeRange>& range, const QString& measure = {});

    // Areas of time and lanes, and slices that were picked besides; see Selection. Where a range is set that
    // is not the areas' own, they go.
    const std::vector<Area>& areas() const { return m_areas; }
    const SliceList& slices() const { return m_slices; }
    void setAreas(std::vector<Area> areas, SliceList slices);
    // The mouse let go of an area, or of bars that picked slices.
    void finishArea() { emit areaFinished(); }
    // Of a table that is walked by keys: selects the slice and brings it into sight, and no panel comes to
    // the front for it.
    void walkTo(SliceRef slice);
    bool isWalking() const { return m_isWalking; }

    // Names whose slices the lanes do not show, though tables count them.
    const QStringList& hiddenNames() const { return m_hiddenNames; }
    void setHiddenNames(const QStringList& names);

    // Empty while the cursor is not over a time.
    const std::optional<TraceTime>& cursor() const { return m_cursor; }
    void setCursor(const std::optional<TraceTime>& time);

    ScopeChoice scopeChoice() const { return m_choice; }
    void setScopeChoice(ScopeChoice choice);
    // What tables are made of by that choice; none: of the selected range, and none is selected.
    std::optional<Scope> scope() const;
    // Tables that were made of the scene that the window shows: its panels make each but once. Safe on any
    // thread; shared, because work that was stopped may outlast the window.
    const std::shared_ptr<ResultCache>& results() const { return m_results; }

  signals:
    // Ask the state what it is by now; a listener before may have changed it again.
    void visibleChanged();
    void sliceChanged();
    void blockChanged();
    void revealRequested(SliceRef slice, bool isZoomedTo); // for the timeline
    void queryRequested(const QString& query);
    void rangeChanged();
    void areasChanged(); // or the picked slices
    void areaFinished();
    void cursorChanged();
    void hiddenNamesChanged();
    void scopeChanged(); // the choice, or the range that it means

  private:
    TimeRange m_visible;
    SliceRef m_slice;
    BlockRef m_block;
    std::optional<TimeRange> m_range;
    QString m_measure;
    std::vector<Area> m_areas;
    SliceList m_slices;
    bool m_isWalking = false;
    std::optional<TraceTime> m_cursor;
    QStringList m_hiddenNames;
    ScopeChoice m_choice = ScopeChoice::visible;
    std::shared_ptr<ResultCache> m_results = std::make_shared<ResultCache>();
};

} // namespace lockstep
