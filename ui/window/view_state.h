// SPDX-License-Identifier: Apache-2.0
// ViewState owns what a timeline shows: the visible range, the selection (see SelectionState), the time under
// the cursor, and the scope of the tables. A window has one; the second pane of a comparison has another. The
// timeline, the panels and the status line write the user's changes to it and follow its signals. All times
// are aligned. UI thread.
#pragma once

#include <memory>
#include <optional>

#include <QObject>
#include <QString>
#include <QStringList>

#include "core/analysis/result_cache.h"
#include "core/analysis/scope.h"
#include "ui/window/selection_state.h"

namespace lockstep {

enum class ScopeChoice : uint8_t { visible, selected, whole };

class ViewState : public SelectionState {
    Q_OBJECT

  public:
    explicit ViewState(QObject* parent = nullptr);

    // Returns the visible range or, while the timeline is animated, the range to which it moves. The timeline
    // corrects a range that exceeds its bounds.
    TimeRange visible() const { return m_visible; }
    void setVisible(TimeRange range);
    // Set by the timeline while it is animated. The scope of tables changes only at the end.
    void setMoving(bool isMoving);

    // Selects the slice and shows it, even if it is already selected. If isZoomedTo is true, the slice fills
    // the view.
    void reveal(SliceRef slice, bool isZoomedTo = false);

    // Requests that the SQL panel be raised and run this query.
    void requestQuery(const QString& query) { emit queryRequested(query); }

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
    void revealRequested(SliceRef slice, bool isZoomedTo); // handled by the timeline
    void queryRequested(const QString& query);
    void cursorChanged();
    void hiddenNamesChanged();
    void scopeChanged(); // the choice changed, or the range to which it refers
    void scopePinnedChanged();

  private:
    TimeRange m_visible;
    bool m_isMoving = false;
    bool m_hasMoved = false;                // m_visible changed since scopeChanged() was last due
    std::optional<TimeRange> m_scopedRange; // the selected range when scopeChanged() was last due for it
    bool m_isNavigating = false;
    std::optional<TimeRange> m_pinnedRange; // see isScopePinned()
    std::optional<TraceTime> m_cursor;
    QStringList m_hiddenNames;
    ScopeChoice m_choice = ScopeChoice::visible;
    std::shared_ptr<ResultCache> m_results = std::make_shared<ResultCache>();
};

} // namespace lockstep
