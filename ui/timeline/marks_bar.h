// SPDX-License-Identifier: Apache-2.0
// MarksBar: the row of marks under the ruler: flags for moments, boxes for ranges, their numbers and texts;
// there only while a mark lies on the axis. A click on one means it, hovering tells all it says. GUI thread.
#pragma once

#include <QWidget>

#include "ui/models/mark_store.h"
#include "ui/timeline/timeline_state.h"

namespace lockstep {

inline constexpr int kMarksHeight = 20; // pixels at scale 1

// Draws the row into a rectangle of device pixels, times starting at headerWidth.
void paintMarks(QPainter& painter, const QRect& area, const TimelineState& state, const MarkLayout& marks);
// Draws dotted lines where marks begin and end over the lanes' times.
void paintMarkLines(QPainter& painter, const QRect& lanes, const TimelineState& state,
                    const MarkLayout& marks);

class MarksBar : public QWidget {
    Q_OBJECT

  public:
    explicit MarksBar(const TimelineState& state, QWidget* parent = nullptr);

    // store outlives the bar; nullptr: none.
    void setStore(const MarkStore* store);
    // The view moved, or marks changed: lays out again, and shows itself where there is something to show.
    void refresh();
    const MarkLayout& layoutOfMarks() const { return m_layout; }
    QSize sizeHint() const override;
    // What hovering at this x tells; "" for nothing.
    QString textAt(double x) const;

  signals:
    // The marks of the sign that was clicked, in the order of their numbers.
    void clicked(const std::vector<int64_t>& numbers);

  protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    bool event(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    const MarkShape* shapeAt(double x) const;

    const TimelineState& m_state;
    const MarkStore* m_store = nullptr;
    MarkLayout m_layout;
};

} // namespace lockstep
