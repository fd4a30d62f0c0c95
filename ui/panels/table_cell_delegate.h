// SPDX-License-Identifier: Apache-2.0
// TableCellDelegate: how a table's cell is painted: figures on equal widths and to the right, a line below
// each row, the current row tinted over its whole width. UI thread.
#pragma once

#include <QStyledItemDelegate>

#include "ui/style/theme.h"

namespace lockstep {

class TableCellDelegate : public QStyledItemDelegate {
    Q_OBJECT

  public:
    explicit TableCellDelegate(QObject* parent = nullptr);

    void setTheme(const Theme& theme) { m_theme = &theme; }
    // The model's row to tint; -1 for none.
    void setCurrentRow(int row) { m_currentRow = row; }

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

    // Width of text with every digit as wide as the widest one.
    static int tabularWidth(const QFontMetrics& metrics, const QString& text);

  private:
    const Theme* m_theme = &lightTheme();
    int m_currentRow = -1;
};

} // namespace lockstep
