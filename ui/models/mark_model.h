// SPDX-License-Identifier: Apache-2.0
// MarkModel: the marks of a MarkStore as rows of number, kind, time, rank, lane, text and how each was
// placed, in a form that sorts. Read by the notes panel. UI thread.
#pragma once

#include <QAbstractTableModel>

#include "ui/models/mark_store.h"
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

    // store outlives the model, which shows it as it was at the last refresh().
    explicit MarkModel(MarkStore& store, QObject* parent = nullptr);

    void refresh();
    void setTheme(const Theme& theme);
    // Of a row; 0 for none.
    int64_t numberAt(int row) const;
    int rowOf(int64_t number) const; // -1 for none

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    // Texts are edited; the store decides.
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;

  private:
    QVariant textOf(const Mark& mark, int column) const;
    QVariant sortKeyOf(const Mark& mark, int column) const;

    MarkStore& m_store;
    std::vector<int64_t> m_numbers; // by row
    const Theme* m_theme = &lightTheme();
};

} // namespace lockstep
