// SPDX-License-Identifier: Apache-2.0
// EventTable shows any number of rows of an EventModel under a header with filters. It scrolls by row, not by
// pixel, and paints only visible rows. The user selects a rectangle of cells, which can be copied with the
// column headers and is summarized; copying and summarizing run in the background. Used by the Events panel
// and the search results. UI thread.
#pragma once

#include <QAbstractScrollArea>

#include "ui/events/event_row_painter.h"
#include "ui/events/shown_columns.h"

namespace lockstep {

class FilterHeader;
class TableCellDelegate;

class EventTable : public QAbstractScrollArea {
    Q_OBJECT

  public:
    explicit EventTable(QWidget* parent = nullptr);

    // Sets the list; nullptr clears it. The same slice remains current if the new list contains it.
    void setList(std::shared_ptr<const EventList> list);
    EventModel& model() const { return *m_model; }
    FilterHeader* header() const { return m_header; }
    void setTheme(const Theme& theme);
    // Sets the search terms to highlight in names.
    void setMatched(std::vector<TextMatcher> texts);
    // Shows a square in the category's color instead of each row number.
    void setSwatches(bool areShown) { m_rows.setSwatches(areShown); }
    // Sets the column that takes the remaining width.
    void setStretchColumn(EventColumn column);

    ShownColumns columns() const;
    void setColumns(const ShownColumns& columns);

    // Returns the current row, or -1.
    int currentRow() const { return m_current.row; }
    SliceRef currentSlice() const;
    EventColumn currentColumn() const;
    // Returns true if the cell is in the selected rectangle.
    bool isSelected(int row, EventColumn column) const;
    // Sets the current row, scrolls to it, and emits no signal. -1: no current row.
    void setCurrentRow(int row);
    int firstRow() const;
    // Returns the number of fully visible rows.
    int rowsShown() const;
    QRect cellRect(int row, EventColumn column) const; // viewport coordinates
    void copy();
    bool isBusy() const { return m_model->isComputing() || m_sum.isRunning() || m_copy.isRunning(); }

  signals:
    void currentRowChanged(int row); // emitted for changes by the user
    void rowActivated(int row);      // double click or Return
    void orderRequested(EventColumn column);
    void columnsChanged(); // emitted for changes by the user
    void summaryChanged(const QString& text);
    void copied(qint64 rows);

  protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;
    bool viewportEvent(QEvent* event) override;

  private:
    struct Cell {
        int row = -1;
        int visual = 0; // position of the column on screen
    };

    void place();
    void stretch();
    int rowHeight() const;
    Cell cellAt(QPoint position) const;
    void moveTo(Cell cell, bool extends, bool tells);
    void showRow(int row);
    void updateVisibleRows();
    void summarize();
    std::vector<EventColumn> chosenColumns() const;
    void showMenu(QPoint position);

    EventModel* m_model;
    FilterHeader* m_header;
    TableCellDelegate* m_delegate;
    EventRowPainter m_rows;
    bool m_isPlacing = false;
    std::optional<EventColumn> m_stretch;
    Cell m_current, m_anchor;
    SliceRef m_currentSlice;
    LatestJob<std::string> m_copy;
    LatestJob<std::string> m_sum;
};

} // namespace lockstep
