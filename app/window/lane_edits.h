// SPDX-License-Identifier: Apache-2.0
// LaneEdits keeps the lanes and the expanded gaps of the timeline and those of the WorkDocument equal. A
// change by the user becomes an edit of the document; consecutive changes of the same lane become one step. A
// change of the document, for example by undo, is shown in the timeline. Owned by the timeline. UI thread.
#pragma once

#include <vector>

#include <QObject>

#include "app/window/window_parts.h"
#include "core/base/time.h"

namespace lockstep {

class LaneState;
struct Work;
class TimelineView;

class LaneEdits : public QObject {
    Q_OBJECT

  public:
    // The timeline owns the object.
    LaneEdits(TimelineView& timeline, const WindowParts& parts);

  private:
    void recordLanes(const LaneState& before, const LaneState& after);
    void recordGaps(const std::vector<TimeRange>& before);
    void show(const Work& before);

    TimelineView& m_timeline;
    WindowParts m_parts;
};

} // namespace lockstep
