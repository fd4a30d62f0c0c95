// SPDX-License-Identifier: Apache-2.0
// TimelineContext is what the tools of one TimelineView share: the state, the canvas with the bars around it,
// the vertical scroll position and the status line. The TimelineView owns the context; the widgets are its
// children. All times are aligned. UI thread.
#pragma once

#include <optional>

#include <QStringList>

#include "ui/timeline/timeline_key_map.h"
#include "ui/timeline/timeline_state.h"
#include "ui/timeline/timeline_tool.h"

class QScrollBar;

namespace lockstep {

class HoverCard;
class MarksBar;
class MinimapBar;
class Notices;
class RulerBar;
class TimelineCanvas;

// TimelineHalf configures a view that is a pane of a comparison.
struct TimelineHalf {
    QString label;          // label of the overview
    TraceTime zero;         // zero of the ruler
    TimeRange reach, whole; // aligned; the user can also scroll to `reach`; fitAll() shows `whole`
    bool hasRuler = true;
};

class TimelineContext {
  public:
    // `owner` is the timeline. `view` and `notices` must outlive the context.
    TimelineContext(QWidget& owner, ViewState& view, Notices& notices, Workers workers);
    ~TimelineContext();

    // Repaints everything. Call after the time axis, the look or the selection changed.
    void refresh();
    // Call after lanes or their heights changed.
    void refreshLanes();
    // Adapts fonts and rows to the text size of the application and the pixel ratio of the screen.
    void updateScale();
    void scrollTo(int y); // device pixels
    void scrollToLane(uint32_t lane);
    // Scrolls to a slice whose lane is shown.
    void scrollToSlice(SliceRef slice, uint32_t lane);
    // Shows the lines on the hover card, at a position in pixels of the canvas.
    void showCard(const QStringList& lines, QPoint at);
    // Converts device pixels of the canvas to screen pixels.
    QPoint onScreen(int x, int y) const;
    // Gives the timeline the keyboard focus after a mouse click.
    void takeFocus();

    QWidget& owner;
    ViewState& view;
    Notices& notices;
    TimelineState state;
    TimelineKeyMap keys;
    std::optional<TimelineHalf> half; // nullopt outside a comparison
    ToolStack tools;
    MinimapBar* const minimap;
    RulerBar* const ruler;
    MarksBar* const marksBar;
    TimelineCanvas* const canvas;
    QScrollBar* const scrollBar;
    HoverCard* const card;

  private:
    void updateScrollBar();
};

} // namespace lockstep
