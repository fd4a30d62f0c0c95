// SPDX-License-Identifier: Apache-2.0
// CommandDelegate paints a row of the command search: the command, and its keyboard shortcut at the right
// end. UI thread.
#pragma once

#include <QStyledItemDelegate>

namespace lockstep {

class CommandDelegate : public QStyledItemDelegate {
    Q_OBJECT

  public:
    static constexpr int kKeysRole = Qt::UserRole + 1;

    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
};

} // namespace lockstep
