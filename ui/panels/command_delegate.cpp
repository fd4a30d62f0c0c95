// SPDX-License-Identifier: Apache-2.0
#include "ui/panels/command_delegate.h"

#include <QApplication>
#include <QPainter>

#include "ui/style/style_sheet.h"

namespace lockstep {

void CommandDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                            const QModelIndex& index) const
{
    QStyleOptionViewItem row = option;
    initStyleOption(&row, index);
    const QString keys = index.data(kKeysRole).toString();
    const int side = scaledPixels(10);
    const int room = keys.isEmpty() ? 0 : row.fontMetrics.horizontalAdvance(keys) + 2 * side;
    row.text = row.fontMetrics.elidedText(row.text, Qt::ElideRight, option.rect.width() - room - side);
    const QStyle* const style = row.widget != nullptr ? row.widget->style() : QApplication::style();
    style->drawControl(QStyle::CE_ItemViewItem, &row, painter, row.widget);
    if (keys.isEmpty()) return;
    painter->save();
    painter->setFont(row.font);
    painter->setPen(row.palette.color(QPalette::PlaceholderText));
    painter->drawText(option.rect.adjusted(0, 0, -side, 0), Qt::AlignRight | Qt::AlignVCenter, keys);
    painter->restore();
}

} // namespace lockstep
