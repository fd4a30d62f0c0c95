// SPDX-License-Identifier: Apache-2.0
// RulerBar: the aligned time axis above the lanes. Dragging on it selects a time range.
#pragma once

#include <QWidget>

#include "ui/timeline/timeline_state.h"

namespace lockstep {

constexpr int kRulerHeight = 34; // pixels at scale 1

// What the ruler counts: from the axis' zero, the time of day where the axis has one, or as one report's
// clock does: an invalid report is the first that is shown.
struct RulerTime {
    enum class From : uint8_t { zero, utc, report };

    From from = From::zero;
    ReportKey report = {};

    friend bool operator==(const RulerTime&, const RulerTime&) = default;
};

// What the axis' zero is: "the zero of a.sqlite's own clock, 12:04:31.204 UTC".
QString zeroText(const Scene& scene);

// Draws ticks and labels into a rectangle of device pixels, times starting at headerWidth.
void paintRuler(QPainter& painter, const QRect& area, const TimelineState& state, const RulerTime& time);

class RulerBar : public QWidget {
    Q_OBJECT

  public:
    explicit RulerBar(const TimelineState& state, QWidget* parent = nullptr);

    void setTime(const RulerTime& time);
    const RulerTime& time() const { return m_time; }
    // The next of what there is: from zero, UTC, the report's clock.
    RulerTime nextTime() const;
    // Marks where the mouse is over the lanes; empty: nowhere.
    void setCursorTime(std::optional<TraceTime> aligned);
    QSize sizeHint() const override;

  signals:
    // An empty range is a click.
    void rangeDragged(TimeRange aligned);
    void zoomRequested(TraceTime at, double factor);
    // A folded gap was pressed, or the word that folds an open one.
    void gapPressed(TimeRange gap, bool opens);
    void timeChosen(const RulerTime& time); // in the menu

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
