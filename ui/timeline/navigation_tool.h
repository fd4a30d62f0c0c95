// SPDX-License-Identifier: Apache-2.0
// NavigationTool moves the visible range of a timeline: zoom with its history, pan, fit, going to a place,
// the collapsed gaps of the time axis, and the time that the ruler shows. ViewState::visible() is the range
// at the end of an animation, TimelineState::window the one that is drawn. All times are aligned. UI thread.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include "ui/timeline/ruler_bar.h"
#include "ui/timeline/timeline_context.h"

class QVariantAnimation;

namespace lockstep {

class NavigationTool : public QObject, public TimelineTool {
    Q_OBJECT

  public:
    explicit NavigationTool(TimelineContext& context); // must outlive the tool

    void zoomTo(TimeRange aligned);
    // Shows the range without animation and without an undo step, for callers that move the view
    // continuously.
    void showAtOnce(TimeRange aligned);
    // Shows the range as one frame of a continuous movement. Tables of the visible range follow at the next
    // showAtOnce(), which also ends the movement.
    void glideTo(TimeRange aligned);
    // Returns true if the view may move without a command of the user: motion is not reduced, and the
    // timeline is visible.
    bool canGlide() const;
    // Shows all reports. A comparison pane shows the compared range first.
    void fitAll();
    // Zooms to the selected range; if there is none, to the selected slice or block. If the view already
    // shows exactly that, or if nothing is selected, zooms to fit.
    void fitSelection();
    // Zooms to the selected slice or block, regardless of the selected range.
    void zoomToSelected();
    void centerOn(TraceTime at);
    // Moves the view to a range or a point in time (an empty range), unless that range is already visible,
    // and draws a line there for a moment. If isZoomedTo is true, the range fills the view; around a point in
    // time, a twentieth of the visible range does.
    void showPosition(TimeRange aligned, bool isZoomedTo = false);
    void setReducedMotion(bool reduced) { m_reducedMotion = reduced; }
    // Makes the drawn range the target range of the view. Call after the bounds of the time axis changed.
    void setTargetToShown();
    // Ends a running animation at its target range. Call before a new scene is set.
    void finishAnimation();
    // Returns the window as it will be at the end of the animation; the current one if there is no animation.
    ViewWindow targetWindow() const;
    // Returns the time under the mouse if the mouse is over the lanes, otherwise the middle of the selected
    // slice, otherwise the middle of the view.
    TraceTime zoomCenter() const;

    // Sets which gaps are collapsed. Gaps that the user expanded stay expanded. A comparison pane collapses
    // no gaps.
    void setGapRule(const GapRule& rule);
    const GapRule& gapRule() const { return m_gapRule; }
    // Expands or collapses a gap at the user's request.
    void editGap(TimeRange gap, bool isOpen);
    void setRulerTime(const RulerTime& time);
    // Sets the expanded gaps, see ViewWindow::opened().
    void setOpenedGaps(std::vector<TimeRange> gaps);

    bool press(const QMouseEvent& event) override;
    void move(const QMouseEvent& event) override;
    bool release(const QMouseEvent& event) override;
    bool wheel(const QWheelEvent& event) override;
    void paint(QPainter& painter) override;

  signals:
    void framed(TimeRange visible); // emitted at every change of the drawn range, also during an animation
    void navigated();               // the view moved, but not by showAtOnce() or a new scene
    void rulerTimeChanged(const RulerTime& time); // emitted for changes by the user
    // Emitted when the user has expanded or collapsed gaps. `before` lists the previously expanded gaps.
    void gapsEdited(const std::vector<TimeRange>& before);

  private:
    void addCommands();
    void moveTo(TimeRange target, bool animate);
    void stepInHistory(std::optional<TimeRange> (ZoomHistory::*step)(TimeRange));
    void settle(TimeRange shown);
    void setTarget(TimeRange target);
    void rememberView();
    void zoomAt(TraceTime at, double factor);
    void panBy(Duration by, bool animate = false);
    // Zooms to the range with a margin on each side.
    void zoomAround(TimeRange range, int64_t margin_ns);
    Duration keyPan() const;
    void setGapOpen(TimeRange gap, bool isOpen);
    void toggleGaps();
    void chooseRulerTime(const RulerTime& time);

    TimelineContext& m_context;
    TimelineState& m_state;
    ViewState& m_view;
    QVariantAnimation* m_animation;
    TimeRange m_from;
    bool m_movesView = false; // true while this tool sets the visible range of m_view
    bool m_reducedMotion = false;
    QElapsedTimer m_lastZoom;
    QTimer m_flashEnd;
    GapRule m_gapRule;
    QPointF m_draggedTo;
};

} // namespace lockstep
