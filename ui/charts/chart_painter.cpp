// SPDX-License-Identifier: Apache-2.0
#include "ui/charts/chart_painter.h"

#include <algorithm>
#include <cmath>
#include <ranges>

#include <QFontMetrics>
#include <QPainter>

#include "ui/style/style_sheet.h"
#include "ui/style/theme.h"

namespace lockstep {

namespace {

std::vector<AxisTick> leftTicks(const ChartAxis& axis, int plotHeight, const QFontMetrics& metrics)
{
    return axis.ticks(static_cast<size_t>(std::max(3, plotHeight / (3 * metrics.height()))));
}

} // namespace

QFont chartFont()
{
    return smallFont(scaledPixels(100) / 100.0);
}

QFont chartLabelFont()
{
    return smallFont(scaledPixels(100) / 100.0 * 0.93);
}

QFont chartTitleFont()
{
    QFont font = chartFont();
    font.setWeight(QFont::DemiBold);
    return font;
}

void paintBottomAxis(QPainter& painter, const ChartAxis& axis, const QRect& plot, const Theme& theme)
{
    const QFontMetrics metrics = painter.fontMetrics();
    const QString unit = axis.unit.name.empty() ? QString() : " " + QString::fromStdString(axis.unit.name);
    const int bottom = plot.bottom() + 1, mark = scaledPixels(3);
    int free = plot.left(); // x coordinate where the next label may begin
    for (const AxisTick& tick :
         axis.ticks(static_cast<size_t>(std::max(2, plot.width() / scaledPixels(55))))) {
        const int x = plot.left() + static_cast<int>(axis.shareOf(tick.value) * plot.width());
        painter.setPen(theme.line);
        painter.drawLine(x, bottom, x, bottom + mark);
        const QString text = QString::fromStdString(tick.text) + unit;
        const int width = metrics.horizontalAdvance(text);
        const int left = std::clamp(x - width / 2, plot.left(), std::max(plot.left(), plot.right() - width));
        if (left < free) continue;
        painter.setPen(theme.mutedText);
        painter.drawText(left, bottom + mark + metrics.ascent(), text);
        free = left + width + scaledPixels(8);
    }
}

void paintLeftAxis(QPainter& painter, const ChartAxis& axis, const QRect& plot, const Theme& theme)
{
    const int height = painter.fontMetrics().height();
    int free = plot.bottom() + height; // y coordinate where the next label may end
    for (const AxisTick& tick : leftTicks(axis, plot.height(), painter.fontMetrics())) {
        const int y = plot.bottom() + 1 - static_cast<int>(axis.shareOf(tick.value) * plot.height());
        painter.setPen(theme.line);
        painter.drawLine(plot.left(), y, plot.right(), y);
        if (y + height / 2 > free) continue;
        painter.setPen(theme.mutedText);
        painter.drawText(QRect(0, y - height / 2, plot.left() - scaledPixels(4), height),
                         Qt::AlignRight | Qt::AlignVCenter, QString::fromStdString(tick.text));
        free = y - height / 2;
    }
}

int leftAxisWidth(const ChartAxis& axis, int plotHeight, const QFontMetrics& metrics)
{
    int widest = 0;
    for (const AxisTick& tick : leftTicks(axis, plotHeight, metrics))
        widest = std::max(widest, metrics.horizontalAdvance(QString::fromStdString(tick.text)));
    return widest + scaledPixels(8);
}

int paintStackedBar(QPainter& painter, const QRect& bar, double whole, std::span<const BarSegment> segments)
{
    const auto at = [&](double value) {
        const double share = whole > 0 ? std::clamp(value / whole, 0.0, 1.0) : 0;
        return bar.left() + static_cast<int>(std::lround(share * bar.width()));
    };
    double sum = 0;
    for (const BarSegment& segment : segments) {
        QRect place(at(sum), bar.top(), 0, bar.height());
        sum += std::max(0.0, segment.value);
        place.setRight(at(sum) - 1);
        if (place.isEmpty()) continue;
        if (place.left() > bar.left() && place.width() > 4) place.setLeft(place.left() + 1); // a gap
        painter.fillRect(place, segment.color);
        const int padding = scaledPixels(4);
        if (painter.fontMetrics().horizontalAdvance(segment.text) + 2 * padding > place.width()) continue;
        painter.setPen(textColorOn(segment.color));
        painter.drawText(place.adjusted(padding, 0, 0, 0), Qt::AlignVCenter | Qt::TextDontClip, segment.text);
    }
    return at(sum);
}

void paintLegend(QPainter& painter, const QRect& line, std::span<const BarSegment> segments)
{
    const int side = scaledPixels(9);
    int right = line.right();
    for (const BarSegment& segment : segments | std::views::reverse) {
        const int length = painter.fontMetrics().horizontalAdvance(segment.text);
        painter.drawText(QRect(right - length, line.top(), length + 2, line.height()), Qt::AlignVCenter,
                         segment.text);
        painter.fillRect(right - length - side - scaledPixels(5), line.center().y() - side / 2, side, side,
                         segment.color);
        right -= length + side + scaledPixels(19);
    }
}

} // namespace lockstep
