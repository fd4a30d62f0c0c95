// SPDX-License-Identifier: Apache-2.0
#include "app/window/marks_controller.h"

#include "app/window/panel_docks.h"
#include "ui/panels/marks_panel.h"
#include "ui/timeline/timeline_view.h"

namespace lockstep {

MarksController::MarksController(TimelineView& timeline, const WindowParts& parts)
    : QObject(&timeline), m_timeline(timeline), m_parts(parts)
{
    timeline.marks().setStore(parts.marks);
    connect(&timeline.marks(), &MarksTool::markChosen, this, &MarksController::goTo);
    MarksPanel& panel = parts.docks.at<MarksPanel>();
    connect(&panel, &MarksPanel::markActivated, &timeline.marks(), &MarksTool::goTo);
}

void MarksController::goTo(int64_t number)
{
    m_timeline.marks().goTo(number);
    m_parts.docks.at<MarksPanel>().showMark(number);
}

} // namespace lockstep
