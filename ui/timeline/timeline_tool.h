// SPDX-License-Identifier: Apache-2.0
// TimelineTool is the base of the classes that handle input over the lanes of a timeline, each with its own
// state. ToolStack passes every event to the tools, the top tool first, until one of them handles the event.
// The TimelineView owns the tools and decides their order. UI thread.
#pragma once

#include <functional>
#include <map>
#include <type_traits>
#include <utility>
#include <vector>

#include <QPoint>

#include "core/timeline/hit_test.h"
#include "ui/window/command_table.h"

class QMouseEvent;
class QPainter;
class QWheelEvent;

namespace lockstep {

class TimelineTool {
  public:
    TimelineTool() = default;
    TimelineTool(const TimelineTool&) = delete;
    TimelineTool& operator=(const TimelineTool&) = delete;
    virtual ~TimelineTool() = default;

    // Returns true if the tool handles the press. The tool then gets move() and release() of this drag.
    virtual bool press(const QMouseEvent&) { return false; }
    virtual void move(const QMouseEvent&) {}
    // Ends the drag. Returns true if the drag was a click, which is then passed to click() of all tools.
    virtual bool release(const QMouseEvent&) { return false; }
    // Called for all tools while the mouse is moved without a drag, and when it leaves the lanes.
    virtual void hover(const QMouseEvent&) {}
    virtual void leave() {}
    // Return true if the tool handled the event.
    virtual bool click(const Hit&) { return false; }
    virtual bool doubleClick(const QMouseEvent&) { return false; }
    virtual bool wheel(const QWheelEvent&) { return false; }
    virtual bool openMenu(const Hit&, QPoint /*global*/) { return false; }
    // Paints over the lanes, in device pixels of the canvas.
    virtual void paint(QPainter&) {}

  protected:
    // Sets the handler of a command. A handler that returns false passes the command to the next tool.
    template<class Handler>
    void on(CommandId command, Handler handler)
    {
        m_handlers[command] = [handler = std::move(handler)] {
            if constexpr (std::is_void_v<decltype(handler())>) {
                handler();
                return true;
            } else {
                return handler();
            }
        };
    }
    bool isDragging() const { return m_isDragging; }
    // Cancels the drag. Returns false if there is none.
    bool endDrag() { return std::exchange(m_isDragging, false); }

  private:
    friend class ToolStack;

    std::map<CommandId, std::function<bool()>> m_handlers;
    bool m_isDragging = false;
};

class ToolStack {
  public:
    // `events`: the tools, the top one first. `layers`: the tools that paint, the lowest layer first. Remove
    // the tools from the stack before they are destroyed.
    void setTools(std::vector<TimelineTool*> events, std::vector<TimelineTool*> layers);

    // Returns true if a tool has a handler of the command.
    bool canRun(CommandId command) const;
    // Returns false if no tool has a handler that the command could apply to.
    bool run(CommandId command);
    // Starts a drag, which replaces the current one. Returns false if no tool handles the press.
    bool press(const QMouseEvent& event);
    void move(const QMouseEvent& event);
    // Returns true if the drag was a click.
    bool release(const QMouseEvent& event);
    void leave();
    void paint(QPainter& painter);
    // Passes an event to the tools until one of them handles it, for example
    // offer(&TimelineTool::click, hit).
    template<class... Arguments, class... Values>
    bool offer(bool (TimelineTool::*handler)(Arguments...), const Values&... values)
    {
        for (TimelineTool* const tool : m_events) {
            if ((tool->*handler)(values...)) return true;
        }
        return false;
    }

  private:
    TimelineTool* dragging() const;

    std::vector<TimelineTool*> m_events, m_layers;
};

} // namespace lockstep
