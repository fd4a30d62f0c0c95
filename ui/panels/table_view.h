// SPDX-License-Identifier: Apache-2.0
// TableView shows any table model, with row lines instead of a grid: it offers sorting by a click on a
// header, a filter row, a column chooser, copying (Ctrl+C) as tab-separated text with headers, and the count,
// sum and mean of the selected cells. UI thread.
#pragma once

#include <vector>

#include <QPersistentModelIndex>
#include <QTableView>

#include "ui/models/table_filter.h"
#include "ui/style/theme.h"

namespace lockstep {

class FilterHeader;
class Table;
class TableCellDelegate;

class TableView : public QTableView {
    Q_OBJECT

  public:
    explicit TableView(QWidget* parent = nullptr);

    // Shows a model, which remains owned by the caller, through the view's TableFilter. Sets the column
    // widths to fit the first rows; later rows only widen them.
    void setTable(QAbstractItemModel* table);
    void setTheme(const Theme& theme);
    // Replaces the delegate, e.g. with one that supports editing. Takes ownership.
    void setCellDelegate(TableCellDelegate* delegate);
    void setTextFilter(const QString& text) { m_filter->setTextFilter(text); }
    FilterHeader* filterHeader() const { return m_header; }
    // Returns the number of rows that pass the filters.
    int shownRows() const { return m_filter->rowCount(); }

    // Returns the current row of the model given to setTable(), or -1.
    int currentTableRow() const;
    // Returns the model row at this position on screen, or -1.
    int tableRowOf(int shownRow) const;
    void selectTableRow(int row);
    // Returns the selected cells as text: a line of column headers, then one line per row in screen order.
    QString selectionText() const;
    // Returns e.g. "12 cells   sum 1 234   mean 102.8"; empty for fewer than two cells. Only numbers are
    // summed.
    QString summaryText() const;
    void copySelection() const;
    // Returns the window's command that saves the table with the focus, or nullptr outside of such a window.
    QAction* saveAction() const;
    // Sets the column that takes the remaining width; -1 for none.
    void setStretchColumn(int column);
    // Does so for the column that the table declares as wide, if there is one.
    void stretchWideColumn(const Table& table);
    // Fits the stretch column to the remaining width. Call after columns were hidden or shown.
    void stretch();
    void fitColumns();
    // Widens the columns to fit the present rows, except those whose width the user has changed.
    void growColumns();
    // Returns the total width in pixels that the columns need for their content. The stretch column
    // contributes at most the width of a long name.
    int neededWidth() const;
    // Sets whether cells offer to show their source: by Alt+click, Alt+Return or the context menu.
    void setOffersSource(bool tells) { m_offersSource = tells; }
    // Sets whether the row with the same cell contents remains current when a new table is set. Useful for
    // tables that are recomputed while the user moves through the rows.
    void setKeepsRow(bool keeps) { m_keepsRow = keeps; }

  signals:
    void tableRowActivated(int row);
    void currentTableRowChanged(int row);
    // Emitted if the user clicks a cell, or changes the current row by arrow keys, Home, End, Page Up or Page
    // Down. Not emitted if the mouse selects several cells.
    void tableRowNavigated(int row);
    void summaryChanged(const QString& text);
    // cell: rectangle in viewport pixels.
    void sourceRequested(int tableRow, int column, const QRect& cell);

  protected:
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void selectionChanged(const QItemSelection& selected, const QItemSelection& deselected) override;
    void currentChanged(const QModelIndex& current, const QModelIndex& previous) override;

  private:
    QStringList columnNames() const; // headers without units, because the unit depends on the values
    // Saves the header state, because a model reset or a table without columns would clear it.
    void saveHeader();
    void restoreHeader();
    void saveRow(); // remembers the current row by its cell contents, because its position may change
    void restoreRow();
    void showHeaderMenu(QPoint position);
    void showCellMenu(QPoint position);
    void requestSource(const QModelIndex& cell);
    int fittedWidth(int column) const; // in pixels, for the header and the first rows

    TableFilter* m_filter;
    FilterHeader* m_header;
    TableCellDelegate* m_delegate;
    int m_stretchColumn = -1;
    std::vector<int> m_fittedWidths; // in pixels, by column
    int m_longText = 0;              // fitted width of the stretch column in pixels
    QPersistentModelIndex m_clicked; // cell in which the left button is down; invalid if there is none
    bool m_offersSource = false;
    bool m_keepsRow = false;
    QStringList m_savedColumns; // column names to which m_savedHeader applies
    QByteArray m_savedHeader;
    QStringList m_savedRow; // cell contents of the row to restore; empty if there is none
    int m_savedColumn = 0;
};

} // namespace lockstep
