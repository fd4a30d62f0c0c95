// SPDX-License-Identifier: Apache-2.0
// ViewState holds the view of a window: the visible range, the selection, the time under the cursor, and the
// scope of the tables. There is one ViewState per window. The timeline, the panels and the status line write
// the user's changes to it, and follow the changes that others make. All times are aligned. UI thread.
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

    // Returns the range that was visible at the end of the last animation, or a newer range that another part
    // of the window requested. The timeline corrects a requested range that exceeds its bounds.
    TimeRange visible() const { return m_visible; }
    void setVisible(TimeRange range);

    SliceRef slice() const { return m_slice; }
    // Selects the slice; an invalid slice clears the selection.
    void setSlice(SliceRef slice);
    // Returns the selected block of a memory lane. At most one of slice and block is valid.
    const BlockRef& block() const { return m_block; }
    void setBlock(const BlockRef& block);
    // Selects the slice and shows it, even if it is already selected. If isZoomedTo is true, the slice fills
    // the view.
    void reveal(SliceRef slice, bool isZoomedTo = false);

    // Puts the query into the SQL panel, runs the query and raises the panel.
    void requestQuery(const QString& query) { emit queryRequested(query); }

    const std::optional<TimeRange>& range() const { return m_range; }
    // Returns the length of the range with its clock error; an empty string if only the length is known.
    const QString& measure() const { return m_measure; }
    void setRange(const std::optional<TimeRange>& range, const QString& measure = {});

    // Returns the selected areas of time and lanes; see Selection. Setting a range that was not derived from
    // the areas clears the areas.
    const std::vector<Area>& areas() const { return m_areas; }
    const SliceList& slices() const { return m_slices; }
    void setAreas(std::vector<Area> areas, SliceList slices);
    // Emits areaFinished(). Call after the user has finished selecting an area or histogram bars.
    void finishArea() { emit areaFinished(); }
    // Selects and shows the slice of a table row that was reached by keys. No panel is raised.
    void navigateTo(SliceRef slice);
    bool isNavigating() const { return m_isNavigating; }

    // Returns the names whose slices are hidden in the lanes; tables still count them.
    const QStringList& hiddenNames() const { return m_hiddenNames; }
    void setHiddenNames(const QStringList& names);

    // Returns the time under the cursor, or nullopt.
    const std::optional<TraceTime>& cursor() const { return m_cursor; }
    void setCursor(const std::optional<TraceTime>& time);

    ScopeChoice scopeChoice() const { return m_choice; }
    void setScopeChoice(ScopeChoice choice);
    // Returns the scope of tables for the current choice; nullopt if tables cover the selected range but no
    // range is selected.
    std::optional<Scope> scope() const;
    // Returns the cache of tables computed from the window's scene, so that panels compute each table only
    // once. Thread-safe; shared, because canceled work may outlive the window.
    const std::shared_ptr<ResultCache>& results() const { return m_results; }

  signals:
    // Slots must read the current state, because an earlier slot may have changed it again.
    void visibleChanged();
    void sliceChanged();
    void blockChanged();
    void revealRequested(SliceRef slice, bool isZoomedTo); // handled by the timeline
    void queryRequested(const QString& query);
    void rangeChanged();
    void areasChanged(); // the areas or the selected slices changed
    void areaFinished();
    void cursorChanged();
    void hiddenNamesChanged();
    void scopeChanged(); // the choice changed, or the range to which it refers

  private:
    TimeRange m_visible;
    SliceRef m_slice;
    BlockRef m_block;
    std::optional<TimeRange> m_range;
    QString m_measure;
    std::vector<Area> m_areas;
    SliceList m_slices;
    bool m_isNavigating = false;
    std::optional<TraceTime> m_cursor;
    QStringList m_hiddenNames;
    ScopeChoice m_choice = ScopeChoice::visible;
    std::shared_ptr<ResultCache> m_results = std::make_shared<ResultCache>();
};

} // namespace lockstep
