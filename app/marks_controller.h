// SPDX-License-Identifier: Apache-2.0
// MarksController: joins the marks of a window to its timeline, its panel of notes, its commands and its
// undo, and says in the status line what came of a key. Owned by the timeline's page. UI thread.
#pragma once

#include "app/window_parts.h"

#include <QObject>

namespace lockstep {

class LaneState;
class TimelineView;

class MarksController : public QObject {
    Q_OBJECT

  public:
    // The timeline owns it.
    MarksController(TimelineView& timeline, const WindowParts& parts);

    // Goes there and shows its row in the panel.
    void goTo(int64_t number);

  private:
    void tell(const QString& text);
    void takeLanes(const LaneState& before, const LaneState& after);
    void keepHeight(const LaneState& before, const LaneState& after);

    TimelineView& m_timeline;
    WindowParts m_parts;
};

} // namespace lockstep
