// SPDX-License-Identifier: Apache-2.0
// RulerBar: the aligned time axis above the lanes. Dragging on it selects a time range.
#pragma once

#include <QWidget>

#include "ui/timeline/timeline_state.h"

namespace lockstep {

constexpr int kRulerHeight = 34; // pixels at scale 1

// Draws ticks and labels into a rectangle of device pixels, times starting at headerWidth. withUtc: label
// with the time of day where the axis has one.
void paintRuler(QPainter& painter, const QRect& area, const TimelineState& state, bool withUtc);

class RulerBar : public QWidget {
    Q_OBJECT

  public:
    explicit RulerBar(const TimelineState& state, QWidget* parent = nullptr);

    void setUtc(bool utc);
    // Marks where the mouse is over the lanes; empty: nowhere.
    void setCursorTime(std::optional<TraceTime> aligned);
    QSize sizeHint() const override;

  signals:
    // An empty range is a click.
    void rangeDragged(TimeRange aligned);
    void zoomRequested(TraceTime at, double factor);
    // A folded gap was pressed, or the word that folds an open one.
    void gapPressed(TimeRange gap, bool opens);

  protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

  private:
    TraceTime timeAt(double x) const;
    bool pressGap(QPointF at);

    const TimelineState& m_state;
    bool m_utc = false;
    std::optional<TraceTime> m_cursor;
    std::optional<TraceTime> m_dragFrom;
};

} // namespace lockstep
