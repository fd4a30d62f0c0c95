// SPDX-License-Identifier: Apache-2.0
// EventTable: rows of an EventModel under a head with filters, however many there are: it measures by rows
// and not by pixels, and paints those on screen. Cells are chosen by mouse and keys as a rectangle, copied as
// text with its head, and summed up, both in the background. Used by the Events panel and the results of a
// search. UI thread.
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

    // The current row stays on its slice where the list has it. nullptr for none.
    void setList(std::shared_ptr<const EventList> list);
    EventModel& model() const { return *m_model; }
    FilterHeader* header() const { return m_header; }
    void setTheme(const Theme& theme);
    // Tinted where they stand in names.
    void setMatched(std::vector<TextMatcher> texts);
    // A square of its category's colour in place of each row's number.
    void setSwatches(bool areShown) { m_rows.setSwatches(areShown); }
    // The column that takes the room left over.
    void setStretchColumn(EventColumn column);

    ShownColumns columns() const;
    void setColumns(const ShownColumns& columns);

    // -1 for none.
    int currentRow() const { return m_current.row; }
    SliceRef currentSlice() const;
    // Brings it into sight; tells nobody. -1: none is current.
    void setCurrentRow(int row);
    int firstRow() const;
    // Rows that are wholly on screen.
    int rowsShown() const;
    QRect cellRect(int row, EventColumn column) const; // in the viewport
    void copy();
    bool isBusy() const { return m_model->isReading() || m_sum.isRunning() || m_copy.isRunning(); }

  signals:
    void currentRowChanged(int row); // by the user
    void rowActivated(int row);      // double click, Return
    void orderRequested(EventColumn column);
    void columnsChanged(); // by the user
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
        int visual = 0; // place of the column on screen
    };

    void place();
    void stretch();
    int rowHeight() const;
    Cell cellAt(QPoint position) const;
    void moveTo(Cell cell, bool extends, bool tells);
    void showRow(int row);
    void tellVisible();
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
