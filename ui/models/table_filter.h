// SPDX-License-Identifier: Apache-2.0
// TableFilter shows the rows of a table model that pass one filter per column, sorted by the model's
// sortRole. A filter is a string to search for, ignoring case. In columns of numbers, a filter can also be a
// comparison such as ">10", "<=2.5" or "=3"; it uses the values of numberRole.
#pragma once

#include <QHash>
#include <QSortFilterProxyModel>

namespace lockstep {

class TableFilter : public QSortFilterProxyModel {
    Q_OBJECT

  public:
    explicit TableFilter(QObject* parent = nullptr);

    // An empty string removes the filter of that column.
    void setColumnFilter(int column, const QString& text);
    // Shows only rows that contain this text in any column; an empty string shows all rows.
    void setTextFilter(const QString& text);
    // The first click on the header of a column of numbers sorts the greatest first.
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

  protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
    bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

  private:
    QHash<int, QString> m_filters;
    QString m_text;
};

} // namespace lockstep
