// SPDX-License-Identifier: Apache-2.0
#include "app/window/marks_controller.h"

#include "app/window/panel_docks.h"
#include "ui/panels/marks_panel.h"
#include "ui/timeline/timeline_view.h"

namespace lockstep {

MarksController::MarksController(TimelineView& timeline, const WindowParts& parts)
    : QObject(&timeline), m_timeline(timeline), m_parts(parts)
{
    timeline.showMarks(parts.marks);
    connect(&timeline, &TimelineView::markChosen, this, &MarksController::goTo);
    MarksPanel& panel = parts.docks.at<MarksPanel>();
    connect(&panel, &MarksPanel::markActivated, &timeline, &TimelineView::goToMark);
}

void MarksController::goTo(int64_t number)
{
    m_timeline.goToMark(number);
    m_parts.docks.at<MarksPanel>().showMark(number);
}

} // namespace lockstep
