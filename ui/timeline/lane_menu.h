// SPDX-License-Identifier: Apache-2.0
// LaneMenu is the context menu of a lane's header. It identifies lanes by key, because it may outlive the
// lanes of the scene, and deletes itself when it closes. UI thread.
#pragma once

#include <functional>

#include <QMenu>

#include "core/lanes/lane_state.h"

namespace lockstep {

class LaneTool;
class TimelineContext;
class TimelineState;

class LaneMenu : public QMenu {
    Q_OBJECT

  public:
    // The timeline owns `context` and `lanes`, and this menu.
    LaneMenu(TimelineContext& context, LaneTool& lanes, uint32_t lane);

  private:
    using Edit = std::function<void(LaneState&)>;
    QAction* add(QMenu& menu, const QString& text, Edit edit);
    void addChoice(QMenu& menu, const QString& text, bool isChosen, Edit edit);
    void addRowHeights(uint32_t lane);
    void addMapChoices();
    void addMemoryChoices();
    void addSampleChoices();
    void addHiddenLanes();

    LaneTool& m_lanes;
    const TimelineState& m_state;
};

} // namespace lockstep
