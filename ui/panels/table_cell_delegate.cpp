// SPDX-License-Identifier: Apache-2.0
#include "ui/panels/table_cell_delegate.h"

#include <algorithm>

#include <QPainter>

#include "ui/models/table_roles.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

int digitWidth(const QFontMetrics& metrics)
{
    int width = 0;
    for (char digit = '0'; digit <= '9'; ++digit)
        width = std::max(width, metrics.horizontalAdvance(QChar(digit)));
    return width;
}

// Proportional figures are put on cells of equal width, from the right: Qt 6.4 cannot ask a font for its own.
void drawTabular(QPainter* painter, const QRect& rect, const QString& text)
{
    const QFontMetrics metrics = painter->fontMetrics();
    const int digit = digitWidth(metrics);
    const int baseline = rect.top() + (rect.height() + metrics.ascent() - metrics.descent()) / 2;
    int right = rect.left() + rect.width();
    for (qsizetype i = text.size(); i-- > 0 && right > rect.left();) {
        const int advance = metrics.horizontalAdvance(text[i]);
        const int cell = text[i].isDigit() ? digit : advance;
        right -= cell;
        painter->drawText(right + (cell - advance) / 2, baseline, QString(text[i]));
    }
}

} // namespace

TableCellDelegate::TableCellDelegate(QObject* parent) : QStyledItemDelegate(parent) {}

int TableCellDelegate::tabularWidth(const QFontMetrics& metrics, const QString& text)
{
    const int digit = digitWidth(metrics);
    int width = 0;
    for (const QChar c : text)
        width += c.isDigit() ? digit : metrics.horizontalAdvance(c);
    return width;
}

void TableCellDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                              const QModelIndex& index) const
{
    painter->save();
    const bool isSelected = (option.state & QStyle::State_Selected) != 0;
    const double share = isSelected ? 0.28 : index.row() == m_currentRow ? 0.14 : 0;
    if (share > 0) painter->fillRect(option.rect, mixed(m_theme->window, m_theme->accent, share));
    painter->setPen(m_theme->line);
    painter->drawLine(option.rect.bottomLeft(), option.rect.bottomRight());
    if ((option.state & QStyle::State_HasFocus) != 0) {
        painter->setPen(m_theme->accent);
        painter->drawRect(option.rect.adjusted(0, 0, -1, -1));
    }
    const QVariant color = index.data(Qt::ForegroundRole);
    painter->setPen(color.isValid() ? color.value<QColor>() : m_theme->text);
    const QVariant font = index.data(Qt::FontRole);
    painter->setFont(font.isValid() ? font.value<QFont>().resolve(option.font) : option.font);
    painter->setClipRect(option.rect);
    const QRect inner = option.rect.adjusted(scaledPixels(8), 0, -scaledPixels(8), 0);
    const QString text = index.data(Qt::DisplayRole).toString();
    if (index.data(numberRole).isValid()) {
        drawTabular(painter, inner, text);
    } else {
        const Qt::TextElideMode mode =
            option.textElideMode == Qt::ElideNone ? Qt::ElideRight : option.textElideMode;
        QString line = text;
        line.replace('\n', ' ');
        painter->drawText(inner, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine,
                          painter->fontMetrics().elidedText(line, mode, inner.width()));
    }
    painter->restore();
}

QSize TableCellDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    const QString text = index.data(Qt::DisplayRole).toString();
    const int width = std::min(tabularWidth(option.fontMetrics, text), scaledPixels(520));
    return {width + scaledPixels(18), option.fontMetrics.height() + scaledPixels(8)};
}

} // namespace lockstep
