// SPDX-License-Identifier: Apache-2.0
#include "app/window/marks_controller.h"

#include <QUndoStack>

#include "app/window/lane_edit.h"
#include "app/window/panel_docks.h"
#include "app/window/settings.h"
#include "ui/panels/marks_panel.h"
#include "ui/timeline/timeline_view.h"

namespace lockstep {

MarksController::MarksController(TimelineView& timeline, const WindowParts& parts)
    : QObject(&timeline), m_timeline(timeline), m_parts(parts)
{
    timeline.showMarks(parts.marks);
    connect(&timeline, &TimelineView::markChosen, this, &MarksController::goTo);
    connect(&timeline, &TimelineView::lanesEdited, this, &MarksController::recordLaneEdit);
    MarksPanel& panel = parts.docks.at<MarksPanel>();
    connect(&panel, &MarksPanel::markActivated, &timeline, &TimelineView::goToMark);
}

void MarksController::goTo(int64_t number)
{
    m_timeline.goToMark(number);
    m_parts.docks.at<MarksPanel>().showMark(number);
}

void MarksController::recordLaneEdit(const LaneState& before, const LaneState& after)
{
    saveRowHeight(before, after);
    m_parts.undo.push(new LaneEdit(m_timeline.laneTree(), before, after, [this](const LaneState& state) {
        const LaneState shown = m_timeline.laneState();
        m_timeline.setLaneState(state);
        emit m_timeline.laneStateChanged();
        saveRowHeight(shown, state);
    }));
}

// Stores a changed row height as the default for new windows.
void MarksController::saveRowHeight(const LaneState& before, const LaneState& after)
{
    if (before.rowHeight != after.rowHeight) m_parts.settings.setRowHeight(after.rowHeight);
}

} // namespace lockstep
