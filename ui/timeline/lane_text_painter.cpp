// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/lane_text_painter.h"

#include <cmath>

#include "ui/timeline/timeline_font.h"

namespace lockstep {

namespace {

QString asText(const std::string& text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

Ink inkOf(Ink::Kind kind)
{
    Ink ink;
    ink.kind = kind;
    ink.category = SliceCategory::compute;
    return ink;
}

} // namespace

LaneTextPainter::LaneTextPainter(const Theme& theme, const SlicePalette& palette, double scale)
    : m_theme(theme), m_palette(palette), m_scale(scale), m_font(timelineFont(scale)), m_boldFont(m_font)
{
    m_boldFont.setWeight(QFont::DemiBold);
}

int LaneTextPainter::px(double atScaleOne) const
{
    return static_cast<int>(std::lround(atScaleOne * m_scale));
}

void LaneTextPainter::paint(QPainter& painter, const DisplayLane& lane) const
{
    for (const LaneBar& bar : lane.bars) {
        const QColor color = bar.isWarning ? m_theme.bad : QColor(m_palette.color(inkOf(Ink::Kind::busy)));
        painter.fillRect(QRect(bar.x, bar.y, bar.width, bar.height), color);
    }
    for (const LaneText& text : lane.texts)
        paint(painter, text);
}

void LaneTextPainter::paint(QPainter& painter, const LaneText& text) const
{
    QRect area(text.x, text.y, text.width, text.height);
    const bool isChosen = text.tone == LaneText::Tone::chosen;
    if (isChosen) {
        QColor fill = m_theme.accent;
        fill.setAlphaF(0.22f);
        painter.fillRect(area, fill);
    }
    if (text.isChip) {
        QColor fill = m_theme.window;
        fill.setAlphaF(0.82f);
        painter.fillRect(area, fill);
        area.adjust(px(4), 0, -px(4), 0);
    }
    const int side = px(9);
    const QRect square(area.left(), area.center().y() - side / 2, side, side);
    if (text.ink) {
        const QColor color(m_palette.color(*text.ink));
        const bool isUpdate = text.ink->kind == Ink::Kind::update;
        painter.fillRect(square, isUpdate ? QBrush(color, Qt::BDiagPattern) : QBrush(color));
        if (isUpdate) {
            painter.fillRect(QRect(square.topLeft(), QSize(px(1), side)), m_theme.text);
            painter.fillRect(QRect(square.right() - px(1) + 1, square.top(), px(1), side), m_theme.text);
        }
        if (text.ink->kind == Ink::Kind::outline)
            painter.fillRect(square.adjusted(px(1), px(1), -px(1), -px(1)), m_theme.window);
    }
    if (text.ink) area.setLeft(area.left() + px(14));
    painter.setFont(isChosen || text.tone == LaneText::Tone::bold ? m_boldFont : m_font);
    painter.setPen(text.tone == LaneText::Tone::warning ? m_theme.warn
                   : text.tone == LaneText::Tone::muted ? m_theme.mutedText
                                                        : m_theme.text);
    const Qt::Alignment align = text.align == LaneText::Align::center  ? Qt::AlignHCenter
                                : text.align == LaneText::Align::right ? Qt::AlignRight
                                                                       : Qt::AlignLeft;
    painter.drawText(area, static_cast<int>(align | Qt::AlignVCenter) | Qt::TextSingleLine,
                     asText(text.text));
}

// The layout already cut the flag to the pinned or the scrolling lanes. The pole of the flag starts in the
// row of its process.
void LaneTextPainter::paint(QPainter& painter, const DisplayFlag& flag, const FrameMetrics& metrics) const
{
    const QColor color(m_palette.color(inkOf(Ink::Kind::alarm)));
    painter.fillRect(QRect(flag.x, flag.top, metrics.pole, flag.bottom - flag.top), color);
    if (flag.width == 0) return;
    const QRect area(flag.left, flag.top, flag.width, metrics.flag);
    painter.fillRect(area, color);
    painter.setFont(m_boldFont);
    painter.setPen(textColorOn(color));
    painter.drawText(area, static_cast<int>(Qt::AlignCenter) | Qt::TextSingleLine, asText(flag.text));
}

} // namespace lockstep
