// SPDX-License-Identifier: Apache-2.0
// SelectionState owns the selection of a timeline: a slice or a block, a time range, areas of time and lanes,
// and individual slices. Each change emits the signals of the parts that changed. All times are aligned. UI
// thread.
#pragma once

#include <optional>
#include <vector>

#include <QObject>
#include <QString>

#include "core/timeline/selection.h"

namespace lockstep {

class SelectionState : public QObject {
    Q_OBJECT

  public:
    using QObject::QObject;

    // Returns the selection; its `peers` are empty.
    const Selection& selection() const { return m_selection; }
    void setSelection(Selection selection);

    SliceRef slice() const { return m_selection.slice; }
    // Selects the slice instead of a block; an invalid slice clears the selected slice.
    void setSlice(SliceRef slice);
    // Returns the selected block of a memory lane. At most one of slice and block is valid.
    const BlockRef& block() const { return m_selection.block; }
    void setBlock(const BlockRef& block);

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

  signals:
    // Slots must read the current state, because an earlier slot may have changed it again.
    void sliceChanged();
    void blockChanged();
    void rangeChanged(); // the range changed, or the reports between which it was dragged
    void areasChanged(); // the areas or the selected slices changed
    void areaFinished();

  private:
    Selection m_selection;
};

} // namespace lockstep
