// SPDX-License-Identifier: Apache-2.0
// LedgerView: painting of labels, cells and the legend.
#include <QPaintEvent>
#include <QPainter>

#include "core/base/text.h"
#include "ui/run/ledger_view.h"
#include "ui/run/run_text.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

void LedgerView::paintText(QPainter& painter, const LedgerText& text) const
{
    QFont font = this->font();
    if (text.isHeading) font.setWeight(QFont::DemiBold);
    painter.setFont(font);
    painter.setPen(text.isHeading || text.isNumber ? m_theme->mutedText : m_theme->text);
    QRect rect = text.rect;
    if (text.role) {
        const int height = std::min(rect.height(), scaledPixels(13));
        painter.fillRect(0, rect.center().y() - height / 2, scaledPixels(4), height,
                         m_theme->roleColor(*text.role));
    }
    const auto mode = text.isHeading || text.isNumber ? Qt::ElideRight : Qt::ElideMiddle;
    painter.drawText(rect, int(Qt::AlignVCenter | (text.isNumber ? Qt::AlignRight : Qt::AlignLeft)),
                     painter.fontMetrics().elidedText(text.text, mode, rect.width()));
}

void LedgerView::paintSign(QPainter& painter, const QRectF& rect, const LedgerEntry& entry) const
{
    const QColor color = ledgerEntryColor(entry, *m_theme);
    if (entry.writer.hasFailed()) return drawFailureSign(painter, rect, color);
    drawLedgerSign(painter, rect, entry.state, color);
}

void LedgerView::paintTile(QPainter& painter, const LedgerTile& tile) const
{
    const size_t index = leadingEntry(m_ledger, tile.entries);
    const LedgerEntry& entry = m_ledger.entries()[index];
    const QColor color = ledgerEntryColor(entry, *m_theme);
    const bool isChosen =
        std::ranges::any_of(tile.entries, [this](size_t one) { return m_chosen.contains(one); });
    const bool isCurrent = hasFocus() && m_current && std::ranges::count(tile.entries, *m_current) > 0;
    const QRect& rect = tile.rect;
    const bool hasWords = m_layout.detail == LedgerLayout::Detail::words;
    if (!hasWords && rect.width() < scaledPixels(8)) { // too small for symbols
        painter.fillRect(rect, isCurrent || isChosen ? m_theme->accent : color);
        return;
    }
    painter.setPen(QPen(isCurrent || isChosen ? m_theme->accent : m_theme->line, isCurrent ? 2 : 1));
    painter.setBrush(isChosen    ? mixed(m_theme->window, m_theme->accent, 0.16)
                     : !hasWords ? mixed(m_theme->window, color, 0.16)
                                 : QBrush(Qt::NoBrush));
    painter.drawRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), hasWords ? 3 : 2, hasWords ? 3 : 2);
    if (hasWords) return paintWords(painter, rect, entry);
    const double size = std::min({rect.width() - 4.0, rect.height() - 4.0, scaledPixels(9) * 1.0});
    const QPointF center = QRectF(rect).center();
    paintSign(painter, QRectF(center.x() - size / 2, center.y() - size / 2, size, size), entry);
}

// Paints the symbol of the state and, as far as there is room, its name and the size or the reason.
void LedgerView::paintWords(QPainter& painter, const QRect& rect, const LedgerEntry& entry) const
{
    painter.fillRect(QRect(rect.left(), rect.top(), scaledPixels(4), rect.height()),
                     ledgerEntryColor(entry, *m_theme));
    const int sign = scaledPixels(9);
    int x = rect.left() + scaledPixels(rect.width() < scaledPixels(90) ? 6 : 9);
    paintSign(painter, QRectF(x, rect.center().y() - sign / 2.0 + 0.5, sign, sign), entry);
    x += sign + scaledPixels(rect.width() < scaledPixels(90) ? 3 : 6);
    const QFontMetrics metrics = painter.fontMetrics();
    QString word = ledgerEntryState(entry);
    if (entry.isReduced && !entry.localPath.empty()) word = tr("compact, %1").arg(word);
    const int room = rect.right() - scaledPixels(3) - x;
    // If the name does not fit, the symbol alone shows the state.
    if (metrics.horizontalAdvance(word) > room) return;
    painter.setPen(m_theme->text);
    painter.drawText(QRect(x, rect.top(), room, rect.height()), Qt::AlignVCenter, word);
    x += metrics.horizontalAdvance(word + ' ');
    QString more = entry.size_bytes > 0 ? QString::fromStdString(byteText(entry.size_bytes)) : QString();
    // Show why a report is missing or truncated, or which data a complete report lost while it was written.
    const bool hasReason = entry.state == LedgerState::missing || entry.state == LedgerState::cutShort ||
                           (entry.state == LedgerState::verified && !entry.reason.empty());
    const bool isFailure = entry.writer.hasFailed();
    if (hasReason) more = QString::fromStdString(entry.reason);
    if (isFailure) more = QString::fromStdString(writerEndText(entry));
    painter.setPen(m_theme->mutedText);
    const int left = rect.right() - scaledPixels(6) - x;
    if (!hasReason && !isFailure && metrics.horizontalAdvance(more) > left) return;
    if (left < scaledPixels(30)) return;
    painter.drawText(QRect(x, rect.top(), left, rect.height()), Qt::AlignVCenter,
                     metrics.elidedText(more, Qt::ElideRight, left));
}

void LedgerView::paintLegend(QPainter& painter) const
{
    painter.setFont(font());
    const int sign = scaledPixels(9);
    for (const LegendItem& item : m_legend) {
        const QRectF place(item.rect.left(), item.rect.center().y() - sign / 2.0 + 0.5, sign, sign);
        LedgerEntry example;
        example.state = item.state;
        if (item.isFailure) example.writer.exitStatus = 1;
        paintSign(painter, place, example);
        painter.setPen(m_theme->mutedText);
        painter.drawText(item.rect.adjusted(scaledPixels(14), 0, 0, 0), Qt::AlignVCenter,
                         ledgerEntryState(example));
    }
}

void LedgerView::paintEvent(QPaintEvent* event)
{
    QPainter painter(this);
    for (const LedgerText& text : m_layout.texts)
        paintText(painter, text);
    painter.setFont(font());
    for (const LedgerTile& tile : m_layout.tiles) {
        if (event->rect().intersects(tile.rect)) paintTile(painter, tile);
    }
    painter.setPen(m_theme->line);
    for (const int y : m_layout.separators)
        painter.drawLine(0, y, width(), y);
    paintLegend(painter);
}

} // namespace lockstep
