// SPDX-License-Identifier: Apache-2.0
// TableFilter: the rows of a table model that pass one filter per column, sorted by the model's sortRole. A
// filter is a text to find, without case; in a column of numbers also ">10", "<=2.5" or "=3" on the number
// shown to copy.
#pragma once

#include <QHash>
#include <QSortFilterProxyModel>

namespace lockstep {

class TableFilter : public QSortFilterProxyModel {
    Q_OBJECT

  public:
    explicit TableFilter(QObject* parent = nullptr);

    // An empty text removes the filter of that column.
    void setColumnFilter(int column, const QString& text);
    // A text that any column must hold; empty for none.
    void setTextFilter(const QString& text);

  protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
    bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

  private:
    QHash<int, QString> m_filters;
    QString m_text;
};

} // namespace lockstep
