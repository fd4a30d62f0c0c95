// SPDX-License-Identifier: Apache-2.0
// ViewState owns what a timeline shows: the visible range, the selection, the time under the cursor, and the
// scope of the tables. A window has one; the second pane of a comparison has another. The timeline, the
// panels and the status line write the user's changes to it and follow its signals. All times are aligned. UI
// thread.
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

    // Returns the visible range or, while the timeline is animated, the range to which it moves. The timeline
    // corrects a range that exceeds its bounds.
    TimeRange visible() const { return m_visible; }
    void setVisible(TimeRange range);
    // Set by the timeline while it is animated. The scope of tables changes only at the end.
    void setMoving(bool isMoving);

    // Returns the selection; its `peers` are empty.
    const Selection& selection() const { return m_selection; }
    void setSelection(Selection selection);

    SliceRef slice() const { return m_selection.slice; }
    // Selects the slice instead of a block; an invalid slice clears the selected slice.
    void setSlice(SliceRef slice);
    // Returns the selected block of a memory lane. At most one of slice and block is valid.
    const BlockRef& block() const { return m_selection.block; }
    void setBlock(const BlockRef& block);
    // Selects the slice and shows it, even if it is already selected. If isZoomedTo is true, the slice fills
    // the view.
    void reveal(SliceRef slice, bool isZoomedTo = false);

    // Requests that the SQL panel be raised and run this query.
    void requestQuery(const QString& query) { emit queryRequested(query); }

    const std::optional<TimeRange>& range() const { return m_selection.range; }
    // Selects a time range; an empty one counts as none. `began` and `ended` are the reports of the lanes
    // between which the range was dragged; they are invalid if it was dragged on the axis itself. Clears the
    // areas, unless they extend over exactly this range.
    void setRange(std::optional<TimeRange> range, ReportKey began = {}, ReportKey ended = {});
    // Returns the length of the range with its clock error, such as "12.3 µs ± 4.1 µs", or "" if there is no
    // range.
    QString measureText(const Alignment& alignment) const;

    const std::vector<Area>& areas() const { return m_selection.areas; }
    const SliceList& slices() const { return m_selection.slices; }
    // Selects areas of time and lanes plus individual slices. `began` and `ended` have the same meaning as
    // for setRange(), for the last area. If there are no areas, the range is cleared only if it was derived
    // from areas.
    void setAreas(std::vector<Area> areas, SliceList slices, ReportKey began = {}, ReportKey ended = {});
    // Emits areaFinished(). Call after the user has finished selecting an area or histogram bars.
    void finishArea() { emit areaFinished(); }
    // Selects and shows the slice of a table row, or, with `range`, shows this aligned range. No panel is
    // raised, and tables of the visible range keep their range, so that the user can go through their rows.
    void navigateTo(SliceRef slice, bool isZoomedTo = false, std::optional<TimeRange> range = {});
    bool isNavigating() const { return m_isNavigating; }
    // Returns true if tables of the visible range still have the range from before navigateTo(). They keep it
    // until the user leaves this range or sets the scope again.
    bool isScopePinned() const { return m_pinnedRange.has_value(); }

    // Returns the names whose slices are hidden in the lanes; tables still count them.
    const QStringList& hiddenNames() const { return m_hiddenNames; }
    void setHiddenNames(const QStringList& names);

    // Returns the time under the cursor, or nullopt.
    const std::optional<TraceTime>& cursor() const { return m_cursor; }
    void setCursor(const std::optional<TraceTime>& time);

    ScopeChoice scopeChoice() const { return m_choice; }
    // Sets the scope of the tables. Setting the current choice again drops the range that isScopePinned()
    // reports.
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
    void rangeChanged(); // the range changed, or the reports between which it was dragged
    void areasChanged(); // the areas or the selected slices changed
    void areaFinished();
    void cursorChanged();
    void hiddenNamesChanged();
    void scopeChanged(); // the choice changed, or the range to which it refers
    void scopePinnedChanged();

  private:
    TimeRange m_visible;
    bool m_isMoving = false;
    bool m_hasMoved = false; // m_visible changed since scopeChanged() was last due
    Selection m_selection;
    bool m_isNavigating = false;
    std::optional<TimeRange> m_pinnedRange; // see isScopePinned()
    std::optional<TraceTime> m_cursor;
    QStringList m_hiddenNames;
    ScopeChoice m_choice = ScopeChoice::visible;
    std::shared_ptr<ResultCache> m_results = std::make_shared<ResultCache>();
};

} // namespace lockstep
