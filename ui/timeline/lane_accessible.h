// SPDX-License-Identifier: Apache-2.0
// LanesAccessible is the canvas of a timeline in the accessibility tree. Its children are the lanes on
// screen; the children of a lane are the slices that have a label in that lane. Children are created on
// request and discarded later. UI thread.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <QAccessibleWidget>

#include "core/trace/workspace.h"

namespace lockstep {

class TimelineCanvas;
class TimelineView;

class LanesAccessible : public QAccessibleWidget {
  public:
    static constexpr size_t kMaxSlicesPerLane = 500; // maximum number of slices listed per lane
    static constexpr size_t kMaxSliceObjects = 4096; // maximum number of existing slice objects

    explicit LanesAccessible(TimelineCanvas* canvas);
    ~LanesAccessible() override;

    int childCount() const override;
    QAccessibleInterface* child(int index) const override;
    int indexOfChild(const QAccessibleInterface* child) const override;
    QAccessibleInterface* childAt(int x, int y) const override;
    QAccessibleInterface* focusChild() const override;
    QString text(QAccessible::Text kind) const override;

    TimelineView& view() const;
    TimelineCanvas& canvas() const;
    QAccessibleInterface* laneOf(const std::string& key) const;
    QAccessibleInterface* sliceOf(SliceRef slice) const;
    // Returns the key of the lane that shows the slice, or "" if the lane is not on screen.
    std::string laneKeyOf(SliceRef slice) const;
    // Returns the slices that have a label in a lane on screen. The selected slice is included even if it is
    // too narrow for a label.
    std::vector<SliceRef> slicesOf(const std::string& lane) const;
    // Converts canvas device pixels to screen pixels.
    QRect onScreen(const QRect& device) const;

  private:
    mutable std::map<std::string, QAccessible::Id> m_lanes;
    mutable std::map<std::pair<uint64_t, uint64_t>, QAccessible::Id> m_slices;
};

} // namespace lockstep
