// SPDX-License-Identifier: Apache-2.0
// ChangeModel presents the changes between two sides as a table: times in one unit and signed changes, which
// are colored if they exceed the noise and dimmed otherwise. ChangeDelegate draws the bars. UI thread.
#pragma once

#include <memory>

#include <QAbstractTableModel>

#include "core/analysis/what_changed.h"
#include "ui/panels/table_cell_delegate.h"
#include "ui/style/theme.h"

namespace lockstep {

class TableView;

class ChangeModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column {
        name,
        before,
        after,
        change,
        percent,
        bar,
        interval,
        confidence,
        countBefore,
        countAfter,
        count
    };

    using QAbstractTableModel::QAbstractTableModel;

    void setRows(std::shared_ptr<const ChangedRows> rows);
    void setTheme(const Theme& theme);
    const ChangedRow* rowAt(int row) const;
    int64_t greatest_ns() const { return m_greatest_ns; } // largest absolute change, at least 1

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override
    {
        return parent.isValid() ? 0 : int(count);
    }
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  private:
    QString text(const ChangedRow& row, int column) const;
    QVariant sortValue(const ChangedRow& row, int column) const;
    QVariant color(const ChangedRow& row, int column) const;
    QString timeText(int64_t ns, bool isChange) const;

    std::shared_ptr<const ChangedRows> m_rows;
    const Theme* m_theme = &lightTheme();
    int64_t m_greatest_ns = 1;
    int m_shift = 6; // displayed time = nanoseconds * 10^-shift
};

class ChangeDelegate : public TableCellDelegate {
    Q_OBJECT

  public:
    ChangeDelegate(TableView* view, const ChangeModel& model);

    void setBarTheme(const Theme& theme) { m_barTheme = &theme; }
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

  private:
    TableView& m_view;
    const ChangeModel& m_model;
    const Theme* m_barTheme = &lightTheme();
};

} // namespace lockstep
