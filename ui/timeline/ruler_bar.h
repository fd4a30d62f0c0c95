// SPDX-License-Identifier: Apache-2.0
// RulerBar is the time axis above the lanes, in aligned time. Dragging on the ruler selects a time range. GUI
// thread.
#pragma once

#include <QWidget>

#include "ui/timeline/timeline_state.h"

namespace lockstep {

constexpr int kRulerHeight = 34; // pixels at scale 1

// RulerTime selects the time that the ruler shows: time since the axis zero, the time of day (if known), or
// the clock of one report. If the report is invalid, the clock of the first visible report is used.
struct RulerTime {
    enum class From : uint8_t { zero, utc, report };

    From from = From::zero;
    ReportKey report = {};

    friend bool operator==(const RulerTime&, const RulerTime&) = default;
};

// Returns a description of the zero of the axis, such as "the clock zero of a.sqlite (12:04:31.204 UTC)".
QString zeroText(const Scene& scene);

// Paints ticks and labels into a rectangle in device pixels. The time axis starts at x = headerWidth.
void paintRuler(QPainter& painter, const QRect& area, const TimelineState& state, const RulerTime& time);

class RulerBar : public QWidget {
    Q_OBJECT

  public:
    explicit RulerBar(const TimelineState& state, QWidget* parent = nullptr);

    void setTime(const RulerTime& time);
    const RulerTime& time() const { return m_time; }
    // Returns the next time axis in the cycle: time since zero, UTC (if known), report clock.
    RulerTime nextTime() const;
    // Shows a tick mark at the time under the mouse; nullopt removes it.
    void setCursorTime(std::optional<TraceTime> aligned);
    QSize sizeHint() const override;

  signals:
    // Emitted when the user has dragged a range; an empty range means a click.
    void rangeDragged(TimeRange aligned);
    void zoomRequested(TraceTime at, double factor);
    // Emitted when the user clicks a collapsed gap (opens is true) or the chip of an expanded gap (opens is
    // false).
    void gapPressed(TimeRange gap, bool opens);
    void timeChosen(const RulerTime& time); // emitted when the user chooses a time axis in the context menu

  protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

  private:
    TraceTime timeAt(double x) const;
    bool pressGap(QPointF at);

    const TimelineState& m_state;
    RulerTime m_time;
    std::optional<TraceTime> m_cursor;
    std::optional<TraceTime> m_dragFrom;
};

} // namespace lockstep
