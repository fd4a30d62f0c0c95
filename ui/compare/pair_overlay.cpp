// SPDX-License-Identifier: Apache-2.0
#include "ui/compare/pair_overlay.h"

#include <algorithm>

#include <QPainter>
#include <QPainterPath>

#include "ui/style/style_sheet.h"
#include "ui/timeline/timeline_font.h"
#include "ui/timeline/timeline_view.h"

namespace lockstep {

namespace {

constexpr int kMaxPairCardWidth = 420; // pixels at scale 1

} // namespace

PairOverlay::Half PairOverlay::Half::of(const TimelineView& view, QPoint origin, TimeRange compared,
                                        SliceRef slice)
{
    const TimelineState& state = view.state();
    const TimeRange visible = state.window.visible();
    const double ratio = view.devicePixelRatioF();
    Half at;
    at.lanes = view.pane().lanesRect().translated(origin);
    at.lanes.setLeft(at.lanes.left() + static_cast<int>(state.px(state.headerWidth) / ratio));
    const int width = std::max(1, static_cast<int>(at.lanes.width() * ratio));
    const PixelScale scale = state.window.scale(width);
    const auto x = [&](TraceTime t) { return at.lanes.left() + static_cast<int>(scale.pixelOf(t) / ratio); };
    at.begin = x(compared.begin);
    at.end = compared.end >= visible.end ? at.lanes.right() + 1 : x(compared.end);
    const auto range = rangeOf(state.scene(), slice);
    if (range && range->end > visible.begin && range->begin < visible.end)
        at.slice = view.pane().sliceRect(slice).translated(origin);
    return at;
}

PairOverlay::PairOverlay(QWidget* parent) : QWidget(parent)
{
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setAttribute(Qt::WA_NoSystemBackground);
    setFocusPolicy(Qt::NoFocus);
    setAccessibleName(tr("Selected pair"));
}

void PairOverlay::setContent(Content content)
{
    m_content = std::move(content);
    setAccessibleDescription(cardText());
    update();
}

QString PairOverlay::cardText() const
{
    if (!m_content.card) return {};
    QString out = m_content.card->name;
    for (const auto& row : m_content.card->rows) {
        QStringList cells;
        for (const Cell& cell : row)
            if (!cell.text.isEmpty()) cells << cell.text;
        out += '\n' + cells.join("  ");
    }
    return out + (m_content.card->footer.isEmpty() ? "" : '\n' + m_content.card->footer);
}

void PairOverlay::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    for (const Half& half : m_content.halves)
        paintEnds(painter, half);
    paintPair(painter);
    paintCard(painter);
}

// Dims the parts of the pane before and after the compared range.
void PairOverlay::paintEnds(QPainter& painter, const Half& half) const
{
    const Theme& theme = *m_content.look.theme;
    QColor wash = theme.panel;
    wash.setAlphaF(0.72f);
    const QRect& lanes = half.lanes;
    const int right = lanes.right() + 1;
    painter.setRenderHint(QPainter::Antialiasing, false);
    if (half.begin > lanes.left())
        painter.fillRect(
            QRect(lanes.left(), lanes.top(), std::min(half.begin, right) - lanes.left(), lanes.height()),
            wash);
    if (half.end < right) {
        const int from = std::max(half.end, lanes.left());
        painter.fillRect(QRect(from, lanes.top(), right - from, lanes.height()), wash);
        if (half.end >= lanes.left()) {
            painter.fillRect(QRect(from, lanes.top(), 1, lanes.height()), theme.text);
            painter.setFont(smallFont(m_content.look.scale / devicePixelRatioF()));
            painter.setPen(theme.mutedText);
            const QRect words(from + 5, lanes.top() + 2, right - from - 8,
                              painter.fontMetrics().height() + 2);
            if (painter.fontMetrics().horizontalAdvance(half.endLabel) <= words.width())
                painter.drawText(words, Qt::AlignLeft | Qt::AlignVCenter, half.endLabel);
        }
    }
    painter.setRenderHint(QPainter::Antialiasing);
}

// Outlines the slices that are in view. The curve ends at the edge of a pane if its slice is outside.
void PairOverlay::paintPair(QPainter& painter) const
{
    const auto& [upper, lower] = m_content.halves;
    const Theme& theme = *m_content.look.theme;
    painter.setBrush(Qt::NoBrush);
    for (const Half* const half : {&upper, &lower}) {
        if (!half->slice) continue;
        painter.save();
        painter.setClipRect(half->lanes);
        painter.setPen(QPen(theme.selection, 2));
        painter.drawRect(QRectF(*half->slice).adjusted(0, 0, -1, -1));
        painter.restore();
    }
    if (!upper.slice || !lower.slice) return;
    const auto within = [](int x, const QRect& lanes) { return std::clamp(x, lanes.left(), lanes.right()); };
    const QPointF from(within(upper.slice->left(), upper.lanes),
                       std::clamp(upper.slice->bottom(), upper.lanes.top(), upper.lanes.bottom()));
    const QPointF to(within(lower.slice->left(), lower.lanes),
                     std::clamp(lower.slice->top(), lower.lanes.top(), lower.lanes.bottom()));
    const double out = upper.lanes.bottom() + 1, in = std::max<double>(out, lower.lanes.top());
    QPainterPath path(from);
    path.lineTo(from.x(), out);
    path.cubicTo({from.x(), (out + in) / 2}, {to.x(), (out + in) / 2}, {to.x(), in});
    path.lineTo(to);
    painter.setPen(QPen(theme.window, 4));
    painter.drawPath(path);
    painter.setPen(QPen(theme.selection, 1.5));
    painter.drawPath(path);
}

// Returns a position below the lower slice, or next to it if there is no room, so that the curve stays
// visible.
QPoint PairOverlay::cardPosition(QSize size) const
{
    const auto& [upper, lower] = m_content.halves;
    const Half& at = lower.slice ? lower : upper;
    QPoint position = at.slice ? QPoint(std::clamp(at.slice->left(), at.lanes.left(), at.lanes.right()) + 12,
                                        std::clamp(at.slice->bottom(), at.lanes.top(), at.lanes.bottom()) + 8)
                               : at.lanes.center();
    if (position.y() + size.height() > height() && at.slice) {
        position.setX(at.slice->left() - size.width() - 12);
        if (position.x() < at.lanes.left()) position.setX(at.slice->right() + 12);
    }
    position.setX(std::clamp(position.x(), 4, std::max(4, width() - size.width() - 4)));
    position.setY(std::clamp(position.y(), 4, std::max(4, height() - size.height() - 4)));
    return position;
}

void PairOverlay::paintCard(QPainter& painter) const
{
    if (!m_content.card) return;
    const Card& card = *m_content.card;
    const double scale = m_content.look.scale / devicePixelRatioF();
    const Theme& theme = *m_content.look.theme;
    QFont bold = timelineFont(scale);
    bold.setWeight(QFont::DemiBold);
    const QFont plain = timelineFont(scale);
    const QFontMetrics title(bold), body(plain);
    const int pad = static_cast<int>(10 * scale), gap = static_cast<int>(16 * scale),
              line = body.height() + 3;
    std::array<int, 4> columns{};
    for (const auto& row : card.rows)
        for (size_t c = 0; c < row.size(); ++c)
            columns[c] = std::max(columns[c], body.horizontalAdvance(row[c].text));
    int width = 3 * gap;
    for (const int column : columns)
        width += column;
    width = std::max({width, title.horizontalAdvance(card.name), body.horizontalAdvance(card.footer)});
    width = std::min(width, static_cast<int>(kMaxPairCardWidth * scale)) + 2 * pad;
    const int lines = static_cast<int>(card.rows.size()) + (card.footer.isEmpty() ? 0 : 1);
    const int height = title.height() + 5 + lines * line + 2 * pad;
    const QRect frame(cardPosition(QSize(width, height)), QSize(width, height));
    painter.setPen(QPen(theme.line, 1));
    painter.setBrush(theme.panel);
    painter.drawRoundedRect(QRectF(frame).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
    int y = frame.top() + pad;
    painter.setFont(bold);
    painter.setPen(theme.text);
    painter.drawText(QRect(frame.left() + pad, y, width - 2 * pad, title.height()),
                     Qt::AlignLeft | Qt::AlignVCenter,
                     title.elidedText(card.name, Qt::ElideMiddle, width - 2 * pad));
    y += title.height() + 5;
    painter.setFont(plain);
    for (size_t r = 0; r < card.rows.size(); ++r, y += line) {
        int right = frame.right() - pad;
        for (size_t c = 4; c-- > 0;) {
            const Cell& cell = card.rows[r][c];
            painter.setPen(cell.tone > 0      ? theme.bad
                           : cell.tone < 0    ? theme.good
                           : r == 0 || c == 0 ? theme.mutedText
                                              : theme.text);
            const QRect box = c == 0 ? QRect(frame.left() + pad, y, right - frame.left() - pad, line)
                                     : QRect(right - columns[c], y, columns[c] + 1, line);
            painter.drawText(box, int((c == 0 ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter),
                             cell.text);
            right -= columns[c] + gap;
        }
    }
    painter.setPen(theme.mutedText);
    painter.drawText(QRect(frame.left() + pad, y, width - 2 * pad, line), Qt::AlignLeft | Qt::AlignVCenter,
                     body.elidedText(card.footer, Qt::ElideRight, width - 2 * pad));
}

} // namespace lockstep
