// SPDX-License-Identifier: Apache-2.0
// LedgerView: painting of headings, rows and cells.
#include <QPainter>
#include <QScrollBar>

#include "core/base/text.h"
#include "ui/run/ledger_view.h"
#include "ui/run/run_text.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

QString ledgerRowText(const LedgerGrid::Row& row, bool isWholeRun)
{
    QString text = row.rank ? LedgerView::tr("rank %1").arg(*row.rank) : QString();
    if (isWholeRun || text.isEmpty()) {
        const QString role = row.role.empty() ? LedgerView::tr("program") : QString::fromStdString(row.role);
        text = text.isEmpty() ? role : role + " " + text;
    }
    return row.host.empty() ? text : text + " \u00B7 " + QString::fromStdString(row.host);
}

void LedgerView::paintHeading(QPainter& painter, size_t line) const
{
    const LedgerGrid::Section& section = m_grid.sections[m_lines[line].section];
    const int top = static_cast<int>(line) * lineHeight() - verticalScrollBar()->value();
    QFont font = painter.font();
    font.setWeight(QFont::DemiBold);
    painter.save();
    painter.setFont(font);
    painter.setPen(m_theme->mutedText);
    const int width = slotWidth(section);
    painter.save();
    painter.setClipRect(labelWidth(), top, viewport()->width(), lineHeight());
    for (size_t column = 0; column < section.columns.size(); ++column) {
        const int columnWidth = static_cast<int>(section.columns[column].slotCount) * width;
        const QRect rect(columnLeft(section, column), top, columnWidth - scaledPixels(4), lineHeight());
        QString text = stepsText(section.columns[column].steps);
        if (painter.fontMetrics().horizontalAdvance(text) > rect.width())
            text = text.section(' ', 1); // show only the number
        painter.drawText(rect.adjusted(scaledPixels(4), 0, 0, 0), Qt::AlignVCenter,
                         painter.fontMetrics().elidedText(text, Qt::ElideRight, rect.width()));
    }
    painter.restore();
    const QString role = section.role.empty() ? tr("program") : QString::fromStdString(section.role);
    painter.fillRect(0, top + scaledPixels(8), scaledPixels(4), lineHeight() - scaledPixels(16),
                     m_theme->roleColor(section.role));
    painter.drawText(QRect(scaledPixels(8), top, labelWidth() - scaledPixels(8), lineHeight()),
                     Qt::AlignVCenter, role);
    painter.restore();
}

void LedgerView::paintCell(QPainter& painter, const QRect& rect, size_t index) const
{
    const LedgerEntry& entry = m_ledger.entries()[index];
    const QColor color = ledgerStateColor(entry.state, *m_theme);
    const bool isChosen = m_chosen.contains(index), isCurrent = m_current == index && hasFocus();
    painter.setPen(QPen(isCurrent || isChosen ? m_theme->accent : m_theme->line, isCurrent ? 2 : 1));
    painter.setBrush(isChosen ? mixed(m_theme->window, m_theme->accent, 0.16) : QBrush(Qt::NoBrush));
    painter.drawRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
    painter.fillRect(QRect(rect.left(), rect.top(), scaledPixels(4), rect.height()), color);
    const int sign = scaledPixels(9);
    int x = rect.left() + scaledPixels(rect.width() < scaledPixels(90) ? 6 : 9);
    drawLedgerSign(painter, QRectF(x, rect.center().y() - sign / 2.0 + 0.5, sign, sign), entry.state, color);
    x += sign + scaledPixels(rect.width() < scaledPixels(90) ? 3 : 6);
    const QFontMetrics metrics = painter.fontMetrics();
    QString word = ledgerStateText(entry.state);
    if (entry.state == LedgerState::capturing && entry.steps.empty() && m_lines.size() > 0)
        word = tr("recording");
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
    if (hasReason) more = QString::fromStdString(entry.reason);
    painter.setPen(m_theme->mutedText);
    const int left = rect.right() - scaledPixels(6) - x;
    if (!hasReason && metrics.horizontalAdvance(more) > left) return;
    if (left < scaledPixels(30)) return;
    painter.drawText(QRect(x, rect.top(), left, rect.height()), Qt::AlignVCenter,
                     metrics.elidedText(more, Qt::ElideRight, left));
}

void LedgerView::paintRow(QPainter& painter, size_t line) const
{
    const LedgerGrid::Section& section = m_grid.sections[m_lines[line].section];
    const LedgerGrid::Row& row = section.rows[*m_lines[line].row];
    const int top = static_cast<int>(line) * lineHeight() - verticalScrollBar()->value();
    painter.save();
    painter.setClipRect(labelWidth(), top, viewport()->width(), lineHeight());
    for (size_t column = 0; column < row.cells.size(); ++column) {
        for (size_t slot = 0; slot < row.cells[column].size(); ++slot) {
            const QRect rect = cellRect(line, column, slot);
            if (rect.right() > labelWidth() && rect.left() < viewport()->width())
                paintCell(painter, rect, row.cells[column][slot]);
        }
    }
    painter.restore();
    painter.setPen(m_theme->text);
    const QRect label(scaledPixels(8), top, labelWidth() - scaledPixels(12), lineHeight());
    painter.drawText(label, Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(ledgerRowText(row, section.isWholeRun()),
                                                      Qt::ElideMiddle, label.width()));
}

void LedgerView::paintEvent(QPaintEvent*)
{
    QPainter painter(viewport());
    painter.setFont(smallFont(scaledPixels(93) / 100.0));
    const int first = verticalScrollBar()->value() / lineHeight();
    const int last = (verticalScrollBar()->value() + viewport()->height()) / lineHeight();
    for (int i = first; i <= last && i < static_cast<int>(m_lines.size()); ++i) {
        const auto line = static_cast<size_t>(i);
        if (m_lines[line].row) {
            paintRow(painter, line);
        } else {
            paintHeading(painter, line);
        }
        const int bottom = (i + 1) * lineHeight() - verticalScrollBar()->value() - 1;
        painter.setPen(m_theme->line);
        painter.drawLine(0, bottom, viewport()->width(), bottom);
    }
}

} // namespace lockstep
