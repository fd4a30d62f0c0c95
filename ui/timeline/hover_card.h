// SPDX-License-Identifier: Apache-2.0
// HoverCard: the small card beside the mouse that tells what lies under it. Laid over the lanes; takes no
// input.
#pragma once

#include <QStringList>
#include <QWidget>

#include "ui/style/theme.h"

namespace lockstep {

class HoverCard : public QWidget {
    Q_OBJECT

  public:
    explicit HoverCard(QWidget* parent);

    // lines: the first is the title. Shown below and right of `at` (parent's pixels), or where there is room.
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
