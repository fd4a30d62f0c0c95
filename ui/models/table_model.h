// SPDX-License-Identifier: Apache-2.0
// TableModel: an analysis' Table for a view: figures grouped by threes, bytes as "61.2 GiB", times in one
// unit per column chosen so that they stay short, percentages and their base in the tooltips. Copies give the
// table's own numbers. UI thread.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <QAbstractTableModel>

#include "core/analysis/table.h"

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
    // The mean of these rows, each counting once, as a cell of the column is shown; empty where the column
    // has no number in any of them, or numbers that a mean says nothing of (ranks, stamps).
    QString meanText(size_t column, std::span<const int> rows) const;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  private:
    // How a column of times is shown: stored ns are divided by 10^shift and keep so many decimals.
    struct Unit {
        const char* name = "";
        int shift = 0;
        int decimals = 0;
    };

    Unit unitOf(size_t column) const;
    QString cellText(size_t column, size_t row) const;
    QString numberText(size_t column, int64_t number) const;

    std::shared_ptr<const Table> m_table;
    std::vector<Unit> m_units; // by column
};

// number * 10^-decimals rounded half away from zero to shownDecimals, whole part grouped by threes:
// (11993000, 6, 3) is "11.993".
QString groupedFixedPoint(int64_t number, int decimals, int shownDecimals);

} // namespace lockstep
