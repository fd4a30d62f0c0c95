// SPDX-License-Identifier: Apache-2.0
// TableModel presents the Table of an analysis to a view: digits are grouped in threes, bytes are shown as
// "61.2 GiB", and each column of times has the one unit that keeps its values short. Tooltips explain the
// columns. Copied cells contain the exact numbers of the table. UI thread.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <QAbstractTableModel>

#include "core/analysis/table.h"
#include "ui/models/time_column.h"

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
    // Returns the unweighted mean of these rows, formatted like a cell of the column. Returns an empty string
    // if no row has a number, or if a mean would be meaningless (ranks, timestamps).
    QString meanText(size_t column, std::span<const int> rows) const;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  private:
    ColumnUnit unitOf(size_t column) const;
    QString cellText(size_t column, size_t row) const;
    QString numberText(size_t column, int64_t number) const;

    std::shared_ptr<const Table> m_table;
    std::vector<ColumnUnit> m_units; // indexed by column
};

// Returns number * 10^-decimals, rounded half away from zero to shownDecimals, with digits in
// groups of three: commas in the integer part, thin spaces (U+2009) in the fraction. (11993000, 6, 3) returns
// "11.993".
QString groupedFixedPoint(int64_t number, int decimals, int shownDecimals);

} // namespace lockstep
