// SPDX-License-Identifier: Apache-2.0
// Accessibility of an EventTable for screen readers: a table of all rows and the shown columns. Only the
// cells on screen and those that a screen reader requests exist, so the cost does not depend on the number of
// rows. UI thread.
#pragma once

#include <map>

#include <QAccessibleWidget>

#include "ui/events/event_columns.h"

namespace lockstep {

class EventTable;

class EventTableAccessible : public QAccessibleWidget, public QAccessibleTableInterface {
  public:
    static constexpr size_t kMaxCells = 4096; // number of cells above which those off screen are deleted

    explicit EventTableAccessible(EventTable* table);
    ~EventTableAccessible() override;

    // The children are the cells on screen, row by row.
    int childCount() const override;
    QAccessibleInterface* child(int index) const override;
    int indexOfChild(const QAccessibleInterface* child) const override;
    QAccessibleInterface* childAt(int x, int y) const override;
    QAccessibleInterface* focusChild() const override;
    void* interface_cast(QAccessible::InterfaceType type) override;

    QAccessibleInterface* caption() const override { return nullptr; }
    QAccessibleInterface* summary() const override { return nullptr; }
    QAccessibleInterface* cellAt(int row, int column) const override;
    int rowCount() const override;
    int columnCount() const override;
    QString rowDescription(int row) const override;
    QString columnDescription(int column) const override;
    // Selections are rectangles; the number of their cells can be large, so only cells on screen are listed.
    int selectedCellCount() const override;
    QList<QAccessibleInterface*> selectedCells() const override;
    int selectedColumnCount() const override { return static_cast<int>(selectedColumns().size()); }
    int selectedRowCount() const override { return static_cast<int>(selectedRows().size()); }
    QList<int> selectedColumns() const override { return {}; } // whole columns cannot be selected
    QList<int> selectedRows() const override;
    bool isColumnSelected(int) const override { return false; }
    bool isRowSelected(int row) const override;
    bool selectRow(int row) override; // makes the row current, like a click
    bool selectColumn(int) override { return false; }
    bool unselectRow(int) override { return false; }
    bool unselectColumn(int) override { return false; }
    void modelChange(QAccessibleTableModelChangeEvent*) override {}

    EventTable& table() const;

  private:
    std::vector<EventColumn> shown() const;
    int rowsOnScreen() const;
    QAccessibleInterface* cellOf(int row, EventColumn column) const;

    mutable std::map<std::pair<int, EventColumn>, QAccessible::Id> m_cells;
};

// Installs the accessibility factory for event tables. Subsequent calls do nothing.
void installEventTableAccessibility();
// Notify screen readers that the table has other rows, or that another cell became current.
void announceRows(EventTable& table);
void announceCell(EventTable& table);

} // namespace lockstep
