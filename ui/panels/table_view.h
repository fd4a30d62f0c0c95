// SPDX-License-Identifier: Apache-2.0
// TableView: any table model with lines instead of grids: sort by click, a filter row, a column chooser,
// Ctrl+C as tab-separated text with its header, and count, sum and mean of the selected cells. UI thread.
#pragma once

#include <QTableView>

#include "ui/models/table_filter.h"
#include "ui/style/theme.h"

namespace lockstep {

class FilterHeader;
class TableCellDelegate;

class TableView : public QTableView {
    Q_OBJECT

  public:
    explicit TableView(QWidget* parent = nullptr);

    // The view puts its TableFilter before the model, which stays the caller's. Widths are fitted to the
    // first rows.
    void setTable(QAbstractItemModel* table);
    void setTheme(const Theme& theme);
    // One that also edits, instead of the plain one; the view's from then on.
    void setCellDelegate(TableCellDelegate* delegate);
    void setTextFilter(const QString& text) { m_filter->setTextFilter(text); }
    FilterHeader* filterHeader() const { return m_header; }
    // Rows that pass the filters.
    int shownRows() const { return m_filter->rowCount(); }

    // Rows of the model given to setTable(); -1 for none.
    int currentTableRow() const;
    // The row of the model that stands at this place of the screen's order; -1 for none.
    int tableRowOf(int shownRow) const;
    void selectTableRow(int row);
    // The selected cells, a line per row, cells in the order of the screen, under the header of their
    // columns.
    QString selectionText() const;
    // "12 cells   sum 1 234   mean 102.8"; empty for less than two cells. Only numbers are summed.
    QString summaryText() const;
    void copySelection() const;
    // The column that takes the room left over; -1 for none.
    void setStretchColumn(int column);
    void fitColumns();
    // Pixels in which all columns can be read, as they were fitted; of the one that takes what is left over a
    // long name's worth at most.
    int neededWidth() const;
    // Whether cells can be asked where they come from: by Alt and a click, Alt+Return, or their menu.
    void setTellsSource(bool tells) { m_tellsSource = tells; }
    // Whether the row with the same texts is current in the next table too: for tables that are made again
    // while somebody walks them.
    void setKeepsRow(bool keeps) { m_keepsRow = keeps; }

  signals:
    void tableRowActivated(int row);
    void currentTableRowChanged(int row);
    // The same by arrow keys, Home, End or a page: whoever walks wants to see where each row is.
    void tableRowWalked(int row);
    void summaryChanged(const QString& text);
    // cell: in the viewport's pixels.
    void sourceRequested(int tableRow, int column, const QRect& cell);

  protected:
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void selectionChanged(const QItemSelection& selected, const QItemSelection& deselected) override;
    void currentChanged(const QModelIndex& current, const QModelIndex& previous) override;

  private:
    QStringList columnNames() const; // labels without their units, which go by the numbers
    void holdHeader();               // over a reset and times without columns, when Qt's header forgets all
    void restoreHeader();
    void holdRow(); // the current one, by its texts: the next table may have it elsewhere
    void restoreRow();
    void showHeaderMenu(QPoint position);
    void showCellMenu(QPoint position);
    void askSource(const QModelIndex& cell);
    void stretch();

    TableFilter* m_filter;
    FilterHeader* m_header;
    TableCellDelegate* m_delegate;
    int m_stretchColumn = -1;
    int m_longText = 0; // pixels that it would take for itself
    bool m_tellsSource = false;
    bool m_keepsRow = false;
    QStringList m_heldColumns; // the columns that m_heldHeader is of
    QByteArray m_heldHeader;
    QStringList m_heldRow; // texts of the row that was current; empty: none was
    int m_heldColumn = 0;
};

} // namespace lockstep
