// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/rank_frame_painter.h"

#include <QPolygonF>

namespace lockstep {

void paintRankFrame(QPainter& painter, const QRect& line, const TimelineState& state)
{
    if (line.isEmpty()) return;
    const int pen = state.px(1), arrow = state.px(7);
    const auto frame = [&](int distance, const QColor& color) {
        painter.fillRect(line.left(), line.top() - distance - pen, line.width(), pen, color);
        painter.fillRect(line.left(), line.bottom() + 1 + distance, line.width(), pen, color);
    };
    frame(pen, state.theme->window);
    frame(0, state.theme->text);
    const double middle = line.top() + line.height() / 2.0, left = line.left();
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(state.theme->accent);
    painter.drawPolygon(QPolygonF{
        {left, middle}, {left - arrow, middle - arrow * 0.7}, {left - arrow, middle + arrow * 0.7}});
    painter.restore();
}

} // namespace lockstep
