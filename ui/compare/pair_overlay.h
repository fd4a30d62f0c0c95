// SPDX-License-Identifier: Apache-2.0
// PairOverlay: what lies over both halves of a comparison: where each of them ends, the pair in hand with the
// curve that joins it, and the card that says its change in words. Takes no input; it is told where things
// are. UI thread.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include <QWidget>

#include "ui/compare/delta_painter.h"

namespace lockstep {

class TimelineView;

class PairOverlay : public QWidget {
    Q_OBJECT

  public:
    struct Half {
        QRect lanes;            // in pixels of the overlay, as all of these; times only
        int begin = 0, end = 0; // of the compared part: x, may lie outside
        QString endLabel;
        std::optional<QRect> slice; // of the pair in hand

        // Where a view shows the range and the slice; origin: of the view, in pixels of the overlay.
        static Half of(const TimelineView& view, QPoint origin, TimeRange compared, SliceRef slice);
    };
    struct Cell {
        QString text;
        int tone = 0; // 1: worse, -1: better
    };
    struct Card {
        QString name;
        std::vector<std::array<Cell, 4>> rows; // what, A, B, change; the first is the head
        QString foot;
    };
    struct Content {
        ComparisonLook look;
        std::array<Half, 2> halves; // upper, lower
        std::optional<Card> card;
    };

    explicit PairOverlay(QWidget* parent);

    void setContent(Content content);
    const Content& content() const { return m_content; }
    // All words of the card, a line a row; "" without one.
    QString cardText() const;

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    void paintEnds(QPainter& painter, const Half& half) const;
    void paintPair(QPainter& painter) const;
    QPoint cardPlace(QSize size) const;
    void paintCard(QPainter& painter) const;

    Content m_content;
};

} // namespace lockstep
