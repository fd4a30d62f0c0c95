// SPDX-License-Identifier: Apache-2.0
// PairOverlay paints over both panes of a comparison: where each side ends, the selected pair with the curve
// between its slices, and the card that describes the change. The overlay ignores mouse and keyboard input;
// setContent() sets all positions. UI thread.
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
        QRect lanes;            // lanes without headers; like all members, in pixels of the overlay
        int begin = 0, end = 0; // x coordinates of the compared range; may lie outside `lanes`
        QString endLabel;
        std::optional<QRect> slice; // slice of the selected pair

        // Returns the positions at which a view shows the range and the slice. origin: position of the view,
        // in pixels of the overlay.
        static Half of(const TimelineView& view, QPoint origin, TimeRange compared, SliceRef slice);
    };
    struct Cell {
        QString text;
        int tone = 0; // 1: worse, -1: better
    };
    struct Card {
        QString name;
        std::vector<std::array<Cell, 4>> rows; // label, A, B, change; the first row is the header
        QString footer;
    };
    struct Content {
        ComparisonLook look;
        std::array<Half, 2> halves; // upper, lower
        std::optional<Card> card;
    };

    explicit PairOverlay(QWidget* parent);

    void setContent(Content content);
    const Content& content() const { return m_content; }
    // Returns the text of the card, one line per row; empty if there is no card.
    QString cardText() const;

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    void paintEnds(QPainter& painter, const Half& half) const;
    void paintPair(QPainter& painter) const;
    QPoint cardPosition(QSize size) const;
    void paintCard(QPainter& painter) const;

    Content m_content;
};

} // namespace lockstep
