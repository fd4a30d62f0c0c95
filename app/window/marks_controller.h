// SPDX-License-Identifier: Apache-2.0
// MarksController connects the markers of a window with the timeline and the Markers panel. Owned by the
// timeline. UI thread.
#pragma once

#include "app/window/window_parts.h"

#include <QObject>

namespace lockstep {

class TimelineView;

class MarksController : public QObject {
    Q_OBJECT

  public:
    // The timeline owns the controller.
    MarksController(TimelineView& timeline, const WindowParts& parts);

    // Goes to the marker and shows its row in the panel.
    void goTo(int64_t number);

  private:
    TimelineView& m_timeline;
    WindowParts m_parts;
};

} // namespace lockstep
