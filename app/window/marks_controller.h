// SPDX-License-Identifier: Apache-2.0
// MarksController connects the markers of a window with the timeline, the Markers panel, the commands and the
// undo stack, and shows the results of keyboard commands in the status line. Owned by the timeline. UI
// thread.
#pragma once

#include "app/window/window_parts.h"

#include <QObject>

namespace lockstep {

class LaneState;
class TimelineView;

class MarksController : public QObject {
    Q_OBJECT

  public:
    // The timeline owns the controller.
    MarksController(TimelineView& timeline, const WindowParts& parts);

    // Goes to the marker and shows its row in the panel.
    void goTo(int64_t number);

  private:
    void recordLaneEdit(const LaneState& before, const LaneState& after);
    void saveRowHeight(const LaneState& before, const LaneState& after);

    TimelineView& m_timeline;
    WindowParts m_parts;
};

} // namespace lockstep
