// SPDX-License-Identifier: Apache-2.0
// MarkModel lists the markers of a MarkStore as sortable rows: number, kind, time, rank, lane, note and how
// each marker was placed. The Markers panel shows it. UI thread.
#pragma once

#include <QAbstractTableModel>

#include "ui/models/mark_store.h"
#include "ui/models/time_column.h"
#include "ui/style/theme.h"

namespace lockstep {

class MarkModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column {
        numberColumn,
        kindColumn,
        timeColumn,
        lengthColumn,
        rankColumn,
        laneColumn,
        textColumn,
        placeColumn,
        columnEnd
    };

    // `store` must outlive the model. The model shows the store as it was at the last refresh().
    explicit MarkModel(MarkStore& store, QObject* parent = nullptr);

    void refresh();
    void setTheme(const Theme& theme);
    // Returns the marker number of a row, or 0 if there is no such row.
    int64_t numberAt(int row) const;
    int rowOf(int64_t number) const; // -1 if not found

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    // Only notes are editable. The store may reject the new text.
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;

  private:
    QVariant textOf(const Mark& mark, int column) const;
    QVariant sortKeyOf(const Mark& mark, int column) const;

    void chooseUnits();

    MarkStore& m_store;
    TimeColumn m_times = TimeColumn::positions(0), m_lengths;
    std::vector<int64_t> m_numbers; // marker numbers, indexed by row
    const Theme* m_theme = &lightTheme();
};

} // namespace lockstep
