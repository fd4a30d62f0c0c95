// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/fold_painter.h"

#include <algorithm>
#include <cmath>

#include <QFontMetrics>
#include <QObject>
#include <QPolygonF>

#include "ui/timeline/timeline_font.h"
#include "ui/timeline/timeline_state.h"

namespace lockstep {

namespace {

constexpr int kToothDepth = 4; // depth of the zigzag in pixels at scale 1
constexpr int kToothHeight = 8;
constexpr int kHatch = 9;

QPolygonF zigzag(double x, const QRect& area, double scale)
{
    QPolygonF line;
    const double step = kToothHeight * scale;
    bool isOut = false;
    for (double y = area.top(); y < area.bottom() + 1 + step; y += step, isOut = !isOut)
        line << QPointF(x + (isOut ? kToothDepth * scale : 0), std::min(y, area.bottom() + 1.0));
    return line;
}

// Draws lines at 45 degrees. Each line is cut to the area, because vector images do not support clipping.
void paintLines(QPainter& painter, const QRect& area, double step)
{
    for (double c = std::ceil((area.left() + area.top()) / step) * step; c < area.right() + area.bottom() + 2;
         c += step) {
        const double left = std::max<double>(area.left(), c - area.bottom() - 1);
        const double right = std::min<double>(area.right() + 1, c - area.top());
        if (left < right) painter.drawLine(QPointF(left, c - left), QPointF(right, c - right));
    }
}

QRect foldBand(const ScalePart& part, const QRect& area)
{
    return {area.left() + part.begin, area.top(), part.width(), area.height()};
}

} // namespace

void paintFolds(QPainter& painter, const QRect& area, const PixelScale& axis, const Theme& theme,
                double scale)
{
    for (const ScalePart& part : axis.parts()) {
        if (!part.isFolded()) continue;
        const QRect band = foldBand(part, area);
        painter.fillRect(band, theme.panel);
        painter.setRenderHint(QPainter::Antialiasing, true);
        painter.setPen(QPen(theme.line, scale));
        paintLines(painter, band, kHatch * scale);
        const int tooth = static_cast<int>(std::ceil(kToothDepth * scale));
        if (band.width() > 3 * tooth) {
            painter.setPen(QPen(theme.mutedText, scale));
            painter.setBrush(Qt::NoBrush);
            // Draws only the edges of the gap that are in view.
            if (part.range.begin == part.gap.begin) painter.drawPolyline(zigzag(band.left(), band, scale));
            if (part.range.end == part.gap.end)
                painter.drawPolyline(zigzag(band.right() + 1 - tooth, band, scale));
        }
        painter.setRenderHint(QPainter::Antialiasing, false);
    }
}

void paintFoldLengths(QPainter& painter, const QRect& area, const PixelScale& axis, const Theme& theme,
                      double scale)
{
    const QFont font = timelineFont(scale);
    const QFontMetrics metrics(font);
    const int padding = static_cast<int>(std::lround(4 * scale));
    for (const ScalePart& part : axis.parts()) {
        const QRect band = foldBand(part, area);
        if (!part.isFolded() || band.width() < metrics.height() + 2) continue;
        const QString length = QString::fromStdString(gapText(part.gap.length()));
        QString text = QObject::tr("%1 without slices").arg(length);
        if (metrics.horizontalAdvance(text) + 4 * padding > area.height()) text = length;
        const int width = metrics.horizontalAdvance(text) + 2 * padding, height = metrics.height() + 2;
        if (width > area.height()) continue;
        painter.save();
        painter.translate(band.center().x() + 1, area.center().y());
        painter.rotate(-90);
        const QRect label(-width / 2, -height / 2, width, height);
        painter.fillRect(label, theme.lane);
        painter.setFont(font);
        painter.setPen(theme.mutedText);
        painter.drawText(label, Qt::AlignCenter, text);
        painter.restore();
    }
}

std::vector<FoldChip> foldChips(const TimelineState& state, const QRect& times)
{
    std::vector<FoldChip> chips;
    const QFontMetrics metrics(timelineFont(state.scale()));
    const PixelScale axis = state.window.scale(std::max(1, times.width()));
    for (const TimeRange& gap : state.window.gaps()) {
        if (!state.window.isOpen(gap) || !gap.overlaps(axis.range())) continue;
        const int begin = axis.pixelOf(gap.begin), room = axis.pixelOf(gap.end) - begin;
        const QString length = QString::fromStdString(gapText(gap.length()));
        for (const QString& text : {QObject::tr("collapse %1").arg(length), QString("\u21E5\u21E4")}) {
            const int width = metrics.horizontalAdvance(text) + state.px(10);
            if (width > room) continue;
            const QRect rect(times.left() + begin + (room - width) / 2, times.top() + state.px(2), width,
                             metrics.height());
            chips.push_back({rect, gap, text});
            break;
        }
    }
    return chips;
}

} // namespace lockstep
