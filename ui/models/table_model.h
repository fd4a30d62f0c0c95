// SPDX-License-Identifier: Apache-2.0
// TableModel presents the Table of an analysis to a view. Digits are grouped in threes, and a column of times
// or bytes has one unit, chosen for its largest value. Tooltips explain the columns, state the exact
// number of bytes and show the note of the row. Copied cells contain the exact numbers of the table. UI
// thread.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <QAbstractTableModel>

#include "core/analysis/table.h"
#include "ui/models/column_unit.h"

namespace lockstep {

class TableModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    explicit TableModel(QObject* parent = nullptr);

    // nullptr empties the model.
    void setTable(std::shared_ptr<const Table> table);
    const Table* table() const { return m_table.get(); }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    // Returns the number below the column in the summary row, formatted like a cell: "Σ " and the total for a
    // column of sums ("Σ –" if it is too large), the unweighted mean for other columns. Returns an empty
    // string if no row has a number, or if a mean would be meaningless (ranks, timestamps).
    QString summaryText(size_t column, std::span<const int> rows) const;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  private:
    ColumnUnit unitOf(size_t column) const;
    QString cellText(size_t column, size_t row) const;
    QString tooltip(size_t column, size_t row) const;
    QString cellTooltip(size_t column, size_t row) const;
    QString sumText(size_t column, long double sum) const;
    QString numberText(size_t column, int64_t number) const;

    std::shared_ptr<const Table> m_table;
    std::vector<ColumnUnit> m_units; // indexed by column
};

} // namespace lockstep
