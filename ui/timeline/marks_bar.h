// SPDX-License-Identifier: Apache-2.0
// MarksBar is the row of markers below the ruler: flags for points in time and boxes for ranges, with the
// number and note of each marker. The row is visible only if at least one marker has a position on the time
// axis. A click selects a marker; hovering over a marker shows its full note. UI thread.
#pragma once

#include <QWidget>

#include "ui/models/mark_store.h"
#include "ui/timeline/timeline_state.h"

namespace lockstep {

inline constexpr int kMarksHeight = 20; // pixels at scale 1

// Paints the row into a rectangle in device pixels. The time axis starts at x = headerWidth.
void paintMarks(QPainter& painter, const QRect& area, const TimelineState& state, const MarkLayout& marks);
// Paints dotted lines over the lanes where markers begin and end.
void paintMarkLines(QPainter& painter, const QRect& lanes, const TimelineState& state,
                    const MarkLayout& marks);

class MarksBar : public QWidget {
    Q_OBJECT

  public:
    explicit MarksBar(const TimelineState& state, QWidget* parent = nullptr);

    // `store` must outlive the bar; nullptr for none.
    void setStore(const MarkStore* store);
    // Lays out the markers again after the view or the markers changed, and shows or hides the row.
    void refresh();
    const MarkLayout& markLayout() const { return m_layout; }
    QSize sizeHint() const override;
    // Returns the tooltip for position x, or "" if there is no marker at x.
    QString textAt(double x) const;

  signals:
    // Emitted with the numbers of the markers that were clicked, in ascending order.
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
