// SPDX-License-Identifier: Apache-2.0
// TableModel presents the Table of an analysis to a view: digits are grouped in threes, and
// each column of times or bytes has the one unit that keeps its values short. Tooltips explain the columns;
// that of a number of bytes also states it exactly. Copied cells contain the exact numbers of the table. UI
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
    // Returns what the line below a table states for these rows, formatted like a cell of the column: "Σ "
    // and the total for a column of sums, the unweighted mean for others. Returns an empty string if no row
    // has a number, or if a mean would be meaningless (ranks, timestamps).
    QString summaryText(size_t column, std::span<const int> rows) const;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  private:
    ColumnUnit unitOf(size_t column) const;
    QString cellText(size_t column, size_t row) const;
    QString tooltip(size_t column, size_t row) const;
    QString sumText(size_t column, long double sum) const;
    QString numberText(size_t column, int64_t number) const;

    std::shared_ptr<const Table> m_table;
    std::vector<ColumnUnit> m_units; // indexed by column
};

} // namespace lockstep
