// SPDX-License-Identifier: Apache-2.0
// HoverCard is a small card next to the mouse pointer that describes the item under the pointer. The card is
// placed over the lanes and takes no input.
#pragma once

#include <QStringList>
#include <QWidget>

#include "ui/style/theme.h"

namespace lockstep {

class HoverCard : public QWidget {
    Q_OBJECT

  public:
    explicit HoverCard(QWidget* parent);

    // Shows the lines, the first as the title, below and to the right of `at` (in pixels of the parent), or
    // elsewhere if there is not enough room there. If `lines` is empty, the card is hidden.
    void showLines(const QStringList& lines, QPoint at, const Theme& theme, double scale);
    QStringList lines() const { return m_lines; }

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    QStringList m_lines;
    const Theme* m_theme = &lightTheme();
    double m_scale = 1;
};

} // namespace lockstep
