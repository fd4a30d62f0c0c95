// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/timeline_tool.h"

#include <algorithm>

namespace lockstep {

void ToolStack::setTools(std::vector<TimelineTool*> events, std::vector<TimelineTool*> layers)
{
    m_events = std::move(events);
    m_layers = std::move(layers);
}

bool ToolStack::canRun(CommandId command) const
{
    const auto canRun = [command](const TimelineTool* tool) { return tool->m_handlers.contains(command); };
    return std::ranges::any_of(m_events, canRun);
}

bool ToolStack::run(CommandId command)
{
    return std::ranges::any_of(m_events, [command](TimelineTool* tool) {
        const auto found = tool->m_handlers.find(command);
        return found != tool->m_handlers.end() && found->second();
    });
}

TimelineTool* ToolStack::dragging() const
{
    const auto found = std::ranges::find_if(m_events, &TimelineTool::isDragging);
    return found == m_events.end() ? nullptr : *found;
}

bool ToolStack::press(const QMouseEvent& event)
{
    for (TimelineTool* const tool : m_events)
        tool->m_isDragging = false;
    return std::ranges::any_of(m_events,
                               [&](TimelineTool* tool) { return tool->m_isDragging = tool->press(event); });
}

void ToolStack::move(const QMouseEvent& event)
{
    if (TimelineTool* const tool = dragging()) return tool->move(event);
    for (TimelineTool* const tool : m_events)
        tool->hover(event);
}

bool ToolStack::release(const QMouseEvent& event)
{
    TimelineTool* const tool = dragging();
    return tool != nullptr && tool->endDrag() && tool->release(event);
}

void ToolStack::leave()
{
    for (TimelineTool* const tool : m_events)
        tool->leave();
}

void ToolStack::paint(QPainter& painter)
{
    for (TimelineTool* const tool : m_layers)
        tool->paint(painter);
}

} // namespace lockstep
