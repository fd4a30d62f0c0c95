// SPDX-License-Identifier: Apache-2.0
#include "ui/compare/delta_painter.h"

#include <cmath>

#include <QPainterPath>

#include "core/base/text.h"
#include "core/timeline/pixel_scale.h"
#include "core/timeline/ticks.h"
#include "ui/style/style_sheet.h"
#include "ui/timeline/timeline_font.h"

namespace lockstep {

namespace {

constexpr int kRelativeTicks = 110; // pixels at scale 1 between labels

// UnpairedRun is a box over adjacent columns in which slices have no partner.
struct UnpairedRun {
    int begin = 0, end = 0;
    bool isMissing = true;
};

std::vector<UnpairedRun> unpairedRuns(const DifferenceStrip& strip, int minWidth)
{
    std::vector<UnpairedRun> out;
    for (const DifferenceColumn& column : strip.columns) {
        for (const bool isMissing : {true, false}) {
            if ((isMissing ? column.missing : column.added) == 0) continue;
            const auto last = std::find_if(
                out.rbegin(), out.rend(), [&](const UnpairedRun& run) { return run.isMissing == isMissing; });
            if (last != out.rend() && column.x <= last->end)
                last->end = column.x + 1;
            else
                out.push_back({column.x, column.x + minWidth, isMissing});
        }
    }
    return out;
}

void paintTriangle(QPainter& painter, QPointF top, double size, bool isUp, const QColor& color)
{
    const double baseY = isUp ? size : -size;
    QPainterPath path(top);
    path.lineTo(top + QPointF(-size * 0.7, baseY));
    path.lineTo(top + QPointF(size * 0.7, baseY));
    path.closeSubpath();
    painter.fillPath(path, color);
}

void paintDeltaHeader(QPainter& painter, const QRect& area, const ComparisonLook& look,
                      const DifferenceStrip& strip)
{
    const Theme& theme = *look.theme;
    const QRect header(area.left(), area.top(), look.headerWidth - 1, area.height());
    painter.fillRect(header, theme.panel);
    painter.setFont(smallFont(look.scale));
    const QRect text = header.adjusted(look.px(12), look.px(2), -look.px(8), -look.px(2));
    painter.setPen(theme.mutedText);
    const QString scale = QString::fromStdString(durationText(strip.scale));
    painter.drawText(text, Qt::AlignRight | Qt::AlignTop, "+" + scale);
    painter.drawText(text, Qt::AlignRight | Qt::AlignVCenter, "0");
    const QString least = QString::fromUtf8("\u2212") + scale;
    painter.drawText(text, Qt::AlignRight | Qt::AlignBottom, least);
    const QFontMetrics metrics = painter.fontMetrics();
    const int room = text.width() - metrics.horizontalAdvance(least) - look.px(8);
    painter.drawText(text, Qt::AlignLeft | Qt::AlignBottom,
                     metrics.elidedText("start of matched slices", Qt::ElideRight, room));
    QFont bold = timelineFont(look.scale);
    bold.setWeight(QFont::DemiBold);
    painter.setFont(bold);
    painter.setPen(theme.text);
    painter.drawText(text, Qt::AlignLeft | Qt::AlignTop, "\u0394 B \u2212 A");
}

} // namespace

int ComparisonLook::px(double atScaleOne) const
{
    return static_cast<int>(std::lround(atScaleOne * scale));
}

void paintDelta(QPainter& painter, const QRect& area, const ComparisonLook& look,
                const DifferenceStrip& strip)
{
    const Theme& theme = *look.theme;
    painter.save();
    painter.setClipRect(area);
    painter.fillRect(area, theme.window);
    paintDeltaHeader(painter, area, look, strip);
    const int left = area.left() + look.headerWidth;
    const int middle = area.center().y();
    const int half = area.height() / 2 - look.px(2);
    for (const UnpairedRun& run : unpairedRuns(strip, look.px(3))) {
        // Missing slices are drawn above zero, new slices below.
        const QRect box(left + run.begin, run.isMissing ? middle - half : middle + 1,
                        std::max(1, run.end - run.begin), half);
        painter.fillRect(box, QBrush(theme.mutedText, run.isMissing ? Qt::BDiagPattern : Qt::FDiagPattern));
        painter.setPen(theme.mutedText);
        painter.drawRect(box.adjusted(0, 0, -1, -1));
    }
    const double unit = static_cast<double>(half) / static_cast<double>(strip.scale.ns);
    const auto height = [&](Duration by) {
        return by.ns == 0 ? 0 : std::max(1, static_cast<int>(std::lround(std::abs(double(by.ns)) * unit)));
    };
    Duration latest{}, earliest{};
    for (const DifferenceColumn& column : strip.columns) {
        latest = std::max(latest, column.latest);
        earliest = std::min(earliest, column.earliest);
        const int up = height(column.latest), down = height(column.earliest);
        if (up > 0) painter.fillRect(left + column.x, middle - up, 1, up, theme.bad);
        if (down > 0) painter.fillRect(left + column.x, middle + 1, 1, down, theme.good);
    }
    // Mark the extreme values, so that color is not the only cue.
    for (const DifferenceColumn& column : strip.columns) {
        const double x = left + column.x + 0.5;
        if (latest.ns > 0 && column.latest == latest)
            paintTriangle(painter, {x, double(middle - height(latest))}, look.px(5), true, theme.bad);
        if (earliest.ns < 0 && column.earliest == earliest)
            paintTriangle(painter, {x, double(middle + 1 + height(earliest))}, look.px(5), false, theme.good);
    }
    painter.fillRect(left, middle, area.right() + 1 - left, 1, theme.mutedText);
    painter.fillRect(left - 1, area.top(), 1, area.height(), theme.line);
    painter.fillRect(area.left(), area.top(), area.width(), 1, theme.mutedText);
    painter.fillRect(area.left(), area.bottom(), area.width(), 1, theme.mutedText);
    painter.restore();
}

void paintSideTitle(QPainter& painter, const QRect& area, const ComparisonLook& look, const QString& mark,
                    const QString& title, const QString& facts)
{
    const Theme& theme = *look.theme;
    painter.fillRect(area, theme.panel);
    painter.fillRect(area.left(), area.bottom(), area.width(), 1, theme.line);
    QFont bold = timelineFont(look.scale);
    bold.setWeight(QFont::DemiBold);
    painter.setFont(bold);
    const QRect tag(area.left() + look.px(12), area.top() + look.px(2), look.px(16), look.px(16));
    painter.fillRect(tag, theme.text);
    painter.setPen(theme.window);
    painter.drawText(tag, Qt::AlignCenter, mark);
    painter.setPen(theme.text);
    const QRect text(tag.right() + look.px(8), area.top(), area.right() - tag.right() - look.px(16),
                     area.height());
    const QFontMetrics metrics(bold);
    const QString name = metrics.elidedText(title, Qt::ElideMiddle, text.width());
    painter.drawText(text, Qt::AlignLeft | Qt::AlignVCenter, name);
    const int from = std::max(metrics.horizontalAdvance(name) + look.px(16),
                              area.left() + look.headerWidth + look.px(8) - text.left());
    const QRect rest = text.adjusted(from, 0, 0, 0);
    painter.setFont(smallFont(look.scale));
    painter.setPen(theme.mutedText);
    painter.drawText(rest, Qt::AlignLeft | Qt::AlignVCenter,
                     QFontMetrics(smallFont(look.scale)).elidedText(facts, Qt::ElideRight, rest.width()));
}

void paintRelativeRuler(QPainter& painter, const QRect& area, const ComparisonLook& look, TimeRange visible)
{
    const Theme& theme = *look.theme;
    painter.save();
    painter.setClipRect(area);
    painter.fillRect(area, theme.window);
    const int left = area.left() + look.headerWidth;
    const int width = area.right() + 1 - left;
    const QFont font = smallFont(look.scale);
    painter.setFont(font);
    painter.setPen(theme.mutedText);
    painter.drawText(area.adjusted(look.px(12), 0, 0, -look.px(6)), Qt::AlignLeft | Qt::AlignBottom,
                     "since the start of A and B");
    if (width > 0 && !visible.isEmpty()) {
        const PixelScale scale(visible, width);
        for (const Tick& tick : ticksFor(visible, width, look.px(kRelativeTicks)).ticks) {
            const int x = left + scale.pixelOf(tick.at);
            const int length = look.px(tick.isMajor ? 7 : 4);
            painter.fillRect(x, area.bottom() - length, 1, length,
                             tick.isMajor ? theme.mutedText : theme.line);
            if (!tick.isMajor) continue;
            const std::string text = tick.at.ns < 0 ? "\u2212" + durationText({-tick.at.ns}, 9)
                                                    : "+" + durationText({tick.at.ns}, 9);
            painter.drawText(x + look.px(4), area.bottom() - look.px(6), QString::fromStdString(text));
        }
    }
    painter.fillRect(left - 1, area.top(), 1, area.height(), theme.line);
    painter.fillRect(area.left(), area.bottom(), area.width(), 1, theme.line);
    painter.restore();
}

} // namespace lockstep
