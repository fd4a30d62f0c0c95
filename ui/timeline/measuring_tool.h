// SPDX-License-Identifier: Apache-2.0
// MeasuringTool measures between two points with the Tape of TimelineState. While it is on, clicks in the
// lanes set the ends, which snap to nearby edges, and the keys for the next slice move the last end. UI
// thread.
#pragma once

#include <QObject>

#include "ui/timeline/timeline_context.h"

namespace lockstep {

class MarksTool;
class NavigationTool;

class MeasuringTool : public QObject, public TimelineTool {
    Q_OBJECT

  public:
    // All arguments must outlive the tool.
    MeasuringTool(TimelineContext& context, NavigationTool& navigation, MarksTool& marks);

    bool click(const Hit& hit) override;
    void paint(QPainter& painter) override;

  private:
    void setOn(bool isOn);
    bool moveEnd(bool isForward);
    // Saves the measurement as a note. Returns false if there is none.
    bool save();

    TimelineContext& m_context;
    TimelineState& m_state;
    NavigationTool& m_navigation;
    MarksTool& m_marks;
};

} // namespace lockstep
