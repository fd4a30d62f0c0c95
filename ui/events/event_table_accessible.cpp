// SPDX-License-Identifier: Apache-2.0
#include "ui/events/event_table_accessible.h"

#include <algorithm>

#include <QPointer>

#include "ui/events/event_table.h"

namespace lockstep {

namespace {

// A cell of the table, by row and column. The table may be destroyed first.
class CellAccessible : public QAccessibleInterface, public QAccessibleTableCellInterface {
  public:
    CellAccessible(EventTable& table, int row, EventColumn column)
        : m_table(&table), m_row(row), m_column(column)
    {
    }

    int row() const { return m_row; }
    EventColumn column() const { return m_column; }

    bool isValid() const override
    {
        return m_table != nullptr && m_row < m_table->model().rowCount() && columnIndex() >= 0;
    }
    QObject* object() const override { return nullptr; }
    QWindow* window() const override { return parent() == nullptr ? nullptr : parent()->window(); }
    QAccessibleInterface* parent() const override
    {
        return m_table == nullptr ? nullptr : QAccessible::queryAccessibleInterface(m_table);
    }
    int childCount() const override { return 0; }
    QAccessibleInterface* child(int) const override { return nullptr; }
    QAccessibleInterface* childAt(int, int) const override { return nullptr; }
    int indexOfChild(const QAccessibleInterface*) const override { return -1; }
    QAccessible::Role role() const override { return QAccessible::Cell; }
    void setText(QAccessible::Text, const QString&) override {}
    QString text(QAccessible::Text kind) const override
    {
        if (!isValid()) return {};
        const auto data = [this](int role) {
            return m_table->model().index(m_row, static_cast<int>(m_column)).data(role).toString();
        };
        if (kind == QAccessible::Name) return data(Qt::DisplayRole);
        return kind == QAccessible::Description ? data(Qt::ToolTipRole) : QString();
    }
    QRect rect() const override
    {
        if (!isValid()) return {};
        const QRect cell = m_table->cellRect(m_row, m_column);
        return {m_table->viewport()->mapToGlobal(cell.topLeft()), cell.size()};
    }
    QAccessible::State state() const override
    {
        QAccessible::State state;
        state.selectable = state.focusable = state.readOnly = true;
        state.invalid = !isValid();
        if (state.invalid) return state;
        state.selected = isSelected();
        state.focused =
            m_table->hasFocus() && m_table->currentRow() == m_row && m_table->currentColumn() == m_column;
        state.offscreen = !m_table->viewport()->rect().intersects(m_table->cellRect(m_row, m_column));
        return state;
    }
    void* interface_cast(QAccessible::InterfaceType type) override
    {
        return type == QAccessible::TableCellInterface ? static_cast<QAccessibleTableCellInterface*>(this)
                                                       : nullptr;
    }

    bool isSelected() const override { return m_table->isSelected(m_row, m_column); }
    QList<QAccessibleInterface*> columnHeaderCells() const override { return {}; }
    QList<QAccessibleInterface*> rowHeaderCells() const override { return {}; }
    int columnIndex() const override
    {
        const ShownColumns shown = m_table->columns();
        const auto found = std::ranges::find(shown, m_column, &ShownColumn::column);
        return found == shown.end() ? -1 : static_cast<int>(found - shown.begin());
    }
    int rowIndex() const override { return m_row; }
    int columnExtent() const override { return 1; }
    int rowExtent() const override { return 1; }
    QAccessibleInterface* table() const override { return parent(); }

  private:
    QPointer<EventTable> m_table;
    const int m_row;
    const EventColumn m_column;
};

QAccessibleInterface* makeEventTableAccessible(const QString&, QObject* object)
{
    auto* const table = qobject_cast<EventTable*>(object);
    return table == nullptr ? nullptr : new EventTableAccessible(table);
}

} // namespace

EventTableAccessible::EventTableAccessible(EventTable* table) : QAccessibleWidget(table, QAccessible::Table)
{
}

EventTableAccessible::~EventTableAccessible()
{
    for (const auto& [cell, id] : m_cells)
        QAccessible::deleteAccessibleInterface(id);
}

EventTable& EventTableAccessible::table() const
{
    return static_cast<EventTable&>(*widget());
}

std::vector<EventColumn> EventTableAccessible::shown() const
{
    std::vector<EventColumn> out;
    for (const ShownColumn& column : table().columns())
        out.push_back(column.column);
    return out;
}

int EventTableAccessible::rowsOnScreen() const
{
    return std::clamp(table().model().rowCount() - table().firstRow(), 0, table().rowsShown());
}

QAccessibleInterface* EventTableAccessible::cellOf(int row, EventColumn column) const
{
    if (m_cells.size() >= kMaxCells) {
        // Cells on screen stay, because the caller may be listing them.
        const int first = table().firstRow(), end = first + rowsOnScreen();
        std::erase_if(m_cells, [&](const auto& entry) {
            if (entry.first.first >= first && entry.first.first < end) return false;
            QAccessible::deleteAccessibleInterface(entry.second);
            return true;
        });
    }
    const auto [entry, isNew] = m_cells.try_emplace({row, column});
    if (isNew)
        entry->second = QAccessible::registerAccessibleInterface(new CellAccessible(table(), row, column));
    return QAccessible::accessibleInterface(entry->second);
}

int EventTableAccessible::childCount() const
{
    return rowsOnScreen() * columnCount();
}

QAccessibleInterface* EventTableAccessible::child(int index) const
{
    if (index < 0 || index >= childCount()) return nullptr;
    return cellAt(table().firstRow() + index / columnCount(), index % columnCount());
}

int EventTableAccessible::indexOfChild(const QAccessibleInterface* child) const
{
    const auto* const cell = dynamic_cast<const CellAccessible*>(child);
    if (cell == nullptr || !cell->isValid()) return -1;
    const int row = cell->row() - table().firstRow();
    return row < 0 || row >= rowsOnScreen() ? -1 : row * columnCount() + cell->columnIndex();
}

QAccessibleInterface* EventTableAccessible::childAt(int x, int y) const
{
    for (int i = 0; i < childCount(); ++i) {
        QAccessibleInterface* const cell = child(i);
        if (cell->rect().contains(x, y)) return cell;
    }
    return nullptr;
}

QAccessibleInterface* EventTableAccessible::focusChild() const
{
    if (!table().hasFocus() || table().currentRow() < 0) return nullptr;
    return cellOf(table().currentRow(), table().currentColumn());
}

void* EventTableAccessible::interface_cast(QAccessible::InterfaceType type)
{
    if (type == QAccessible::TableInterface) return static_cast<QAccessibleTableInterface*>(this);
    return QAccessibleWidget::interface_cast(type);
}

QAccessibleInterface* EventTableAccessible::cellAt(int row, int column) const
{
    const std::vector<EventColumn> columns = shown();
    if (row < 0 || row >= rowCount() || column < 0 || column >= static_cast<int>(columns.size()))
        return nullptr;
    return cellOf(row, columns[static_cast<size_t>(column)]);
}

int EventTableAccessible::rowCount() const
{
    return table().model().rowCount();
}

int EventTableAccessible::columnCount() const
{
    return static_cast<int>(table().columns().size());
}

QString EventTableAccessible::rowDescription(int row) const
{
    return QString::number(row + 1);
}

QString EventTableAccessible::columnDescription(int column) const
{
    const std::vector<EventColumn> columns = shown();
    if (column < 0 || column >= static_cast<int>(columns.size())) return {};
    const int section = static_cast<int>(columns[static_cast<size_t>(column)]);
    return table().model().headerData(section, Qt::Horizontal, Qt::DisplayRole).toString();
}

int EventTableAccessible::selectedCellCount() const
{
    return static_cast<int>(selectedCells().size());
}

QList<QAccessibleInterface*> EventTableAccessible::selectedCells() const
{
    QList<QAccessibleInterface*> out;
    for (int i = 0; i < childCount(); ++i) {
        QAccessibleInterface* const cell = child(i);
        if (cell->state().selected) out << cell;
    }
    return out;
}

QList<int> EventTableAccessible::selectedRows() const
{
    QList<int> out;
    for (int row = table().firstRow(); row < table().firstRow() + rowsOnScreen(); ++row) {
        if (isRowSelected(row)) out << row;
    }
    return out;
}

bool EventTableAccessible::isRowSelected(int row) const
{
    const std::vector<EventColumn> columns = shown();
    return !columns.empty() &&
           std::ranges::all_of(columns, [&](EventColumn column) { return table().isSelected(row, column); });
}

bool EventTableAccessible::selectRow(int row)
{
    if (row < 0 || row >= rowCount()) return false;
    table().setCurrentRow(row);
    emit table().currentRowChanged(row);
    return true;
}

void installEventTableAccessibility()
{
    static const bool kIsInstalled = [] {
        QAccessible::installFactory(makeEventTableAccessible);
        return true;
    }();
    static_cast<void>(kIsInstalled);
}

void announceRows(EventTable& table)
{
    if (!QAccessible::isActive()) return;
    QAccessibleTableModelChangeEvent event(&table, QAccessibleTableModelChangeEvent::ModelReset);
    QAccessible::updateAccessibility(&event);
}

void announceCell(EventTable& table)
{
    if (!QAccessible::isActive() || !table.hasFocus()) return;
    QAccessibleInterface* const all = QAccessible::queryAccessibleInterface(&table);
    QAccessibleInterface* const cell = all == nullptr ? nullptr : all->focusChild();
    if (cell == nullptr) return;
    QAccessibleEvent event(cell, QAccessible::Focus);
    QAccessible::updateAccessibility(&event);
}

} // namespace lockstep
