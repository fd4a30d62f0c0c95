// SPDX-License-Identifier: Apache-2.0
// LanesAccessible: the canvas of a timeline in the accessibility tree; its children are the lanes on screen,
// theirs the slices that are named there. It makes them as they are asked for and forgets them. UI thread.
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
    static constexpr size_t kMostOfLane = 500; // slices
    static constexpr size_t kMostKept = 4096;

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
    // The lane that a slice is drawn in, "" where that is not on screen.
    std::string laneKeyOf(SliceRef slice) const;
    // The slices named in a lane on screen, and the one in hand where it is there too narrow for a name.
    std::vector<SliceRef> slicesOf(const std::string& lane) const;
    // Device pixels of the canvas to those of the screen.
    QRect onScreen(const QRect& device) const;

  private:
    mutable std::map<std::string, QAccessible::Id> m_lanes;
    mutable std::map<std::pair<uint64_t, uint64_t>, QAccessible::Id> m_slices;
};

} // namespace lockstep
