// SPDX-License-Identifier: Apache-2.0
#include "ui/panels/table_view.h"

#include <algorithm>
#include <array>
#include <ranges>
#include <utility>

#include <QClipboard>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QMenu>
#include <QScrollBar>

#include "core/analysis/table.h"
#include "core/base/text.h"
#include "ui/models/table_roles.h"
#include "ui/panels/filter_header.h"
#include "ui/panels/table_cell_delegate.h"
#include "ui/style/style_sheet.h"
#include "ui/window/command_table.h"

namespace lockstep {

TableView::TableView(QWidget* parent)
    : QTableView(parent), m_filter(new TableFilter(this)), m_header(new FilterHeader(this)),
      m_delegate(new TableCellDelegate(this))
{
    setHorizontalHeader(m_header);
    setItemDelegate(m_delegate);
    setModel(m_filter);
    connect(m_filter, &QAbstractItemModel::modelAboutToBeReset, this, &TableView::saveHeader);
    connect(m_filter, &QAbstractItemModel::modelReset, this, &TableView::restoreHeader);
    connect(m_filter, &QAbstractItemModel::modelAboutToBeReset, this, &TableView::saveRow);
    connect(m_filter, &QAbstractItemModel::modelReset, this, &TableView::restoreRow);
    setSortingEnabled(true);
    setShowGrid(false);
    setWordWrap(false);
    setTabKeyNavigation(false);
    setFont(smallFont(scaledPixels(100) / 100.0));
    setHorizontalScrollMode(ScrollPerPixel);
    setVerticalScrollMode(ScrollPerPixel);
    setSelectionBehavior(SelectItems);
    setSelectionMode(ExtendedSelection);
    verticalHeader()->hide();
    m_header->setContextMenuPolicy(Qt::CustomContextMenu);
    setContextMenuPolicy(Qt::CustomContextMenu);
    connect(m_header, &QWidget::customContextMenuRequested, this, &TableView::showHeaderMenu);
    connect(this, &QWidget::customContextMenuRequested, this, &TableView::showCellMenu);
    connect(m_header, &FilterHeader::filterChanged, m_filter, &TableFilter::setColumnFilter);
    connect(this, &QAbstractItemView::doubleClicked, this,
            [this](const QModelIndex& index) { emit tableRowActivated(m_filter->mapToSource(index).row()); });
}

void TableView::setTable(QAbstractItemModel* table)
{
    m_filter->setSourceModel(table);
    fitColumns();
}

void TableView::setCellDelegate(TableCellDelegate* delegate)
{
    delegate->setParent(this);
    setItemDelegate(delegate);
    delete m_delegate;
    m_delegate = delegate;
}

void TableView::setTheme(const Theme& theme)
{
    m_delegate->setTheme(theme);
    setFont(smallFont(scaledPixels(100) / 100.0));
    fitColumns();
    viewport()->update();
}

QStringList TableView::columnNames() const
{
    QStringList names;
    for (int column = 0; column < m_filter->columnCount(); ++column)
        names += m_filter->headerData(column, Qt::Horizontal).toString().section(" (", 0, 0);
    return names;
}

void TableView::saveHeader()
{
    if (m_filter->columnCount() == 0) return;
    m_savedColumns = columnNames();
    m_savedHeader = m_header->saveState();
}

void TableView::restoreHeader()
{
    if (m_savedColumns.isEmpty()) return;
    if (m_filter->columnCount() == 0) return;
    if (columnNames() != m_savedColumns) return m_fittedWidths.clear();
    m_header->restoreState(m_savedHeader);
    if (!m_fittedWidths.empty()) growColumns();
}

void TableView::saveRow()
{
    const int row = currentIndex().row();
    if (row < 0 || !m_keepsRow) return;
    m_savedRow.clear();
    m_savedColumn = currentIndex().column();
    for (int column = 0; column < m_filter->columnCount(); ++column) {
        const QModelIndex cell = m_filter->index(row, column);
        if (!cell.data(numberRole).isValid()) m_savedRow += cell.data(copyRole).toString();
    }
}

// Restores a held row once. The row stays held while the table has no rows.
void TableView::restoreRow()
{
    if (m_savedRow.isEmpty() || m_filter->rowCount() == 0) return;
    const QStringList held = std::exchange(m_savedRow, {});
    std::vector<int> texts;
    for (int column = 0; column < m_filter->columnCount(); ++column) {
        if (!m_filter->index(0, column).data(numberRole).isValid()) texts.push_back(column);
    }
    if (texts.empty() || texts.size() != static_cast<size_t>(held.size())) return;
    for (int row = 0; row < m_filter->rowCount(); ++row) {
        const auto isHeld = [&](size_t i) {
            return m_filter->index(row, texts[i]).data(copyRole).toString() ==
                   held[static_cast<qsizetype>(i)];
        };
        if (!std::ranges::all_of(std::views::iota(size_t(0), texts.size()), isHeld)) continue;
        setCurrentIndex(m_filter->index(row, std::min(m_savedColumn, m_filter->columnCount() - 1)));
        return;
    }
}

int TableView::fittedWidth(int column) const
{
    constexpr int kMeasuredRows = 60;
    int width = m_header->sectionSizeHint(column);
    QStyleOptionViewItem option;
    option.font = font();
    option.fontMetrics = QFontMetrics(font());
    for (int row = 0; row < std::min(kMeasuredRows, m_filter->rowCount()); ++row)
        width = std::max(width, m_delegate->sizeHint(option, m_filter->index(row, column)).width());
    return width;
}

void TableView::fitColumns()
{
    verticalHeader()->setDefaultSectionSize(QFontMetrics(font()).height() + scaledPixels(8));
    m_fittedWidths.clear();
    growColumns();
}

void TableView::growColumns()
{
    const bool isFirst = m_fittedWidths.size() != static_cast<size_t>(m_filter->columnCount());
    if (isFirst) m_fittedWidths.assign(static_cast<size_t>(m_filter->columnCount()), 0);
    for (int column = 0; column < m_filter->columnCount(); ++column) {
        int& fitted = m_fittedWidths[static_cast<size_t>(column)];
        const bool isStretched = column == m_stretchColumn;
        const bool hasOwnWidth = !isFirst && !isStretched && !isColumnHidden(column);
        if (hasOwnWidth && columnWidth(column) != fitted) continue; // set by the user
        fitted = std::max(fitted, fittedWidth(column));
        setColumnWidth(column, fitted);
        if (isStretched) m_longText = fitted;
    }
    stretch();
}

int TableView::neededWidth() const
{
    constexpr int kLongName = 360, kScrollBar = 18; // px at scale 1
    int width = scaledPixels(kScrollBar) + std::min(m_longText, scaledPixels(kLongName));
    for (int column = 0; column < m_filter->columnCount(); ++column) {
        if (column != m_stretchColumn && !isColumnHidden(column)) width += columnWidth(column);
    }
    return width;
}

void TableView::setStretchColumn(int column)
{
    m_stretchColumn = column;
    stretch();
}

void TableView::stretchWideColumn(const Table& table)
{
    for (size_t i = 0; i < table.columnCount(); ++i)
        if (table.column(i).isWide) setStretchColumn(static_cast<int>(i));
}

void TableView::stretch()
{
    if (m_stretchColumn < 0 || m_stretchColumn >= m_filter->columnCount()) return;
    int others = 0;
    for (int column = 0; column < m_filter->columnCount(); ++column) {
        if (column != m_stretchColumn && !isColumnHidden(column)) others += columnWidth(column);
    }
    setColumnWidth(m_stretchColumn, std::max(scaledPixels(160), viewport()->width() - others));
}

int TableView::currentTableRow() const
{
    return currentIndex().isValid() ? m_filter->mapToSource(currentIndex()).row() : -1;
}

int TableView::tableRowOf(int shownRow) const
{
    return m_filter->mapToSource(m_filter->index(shownRow, 0)).row();
}

void TableView::selectTableRow(int row)
{
    const QModelIndex index = m_filter->mapFromSource(m_filter->sourceModel()->index(row, 0));
    if (!index.isValid()) return;
    setCurrentIndex(index.siblingAtColumn(std::max(0, currentIndex().column())));
    scrollTo(index);
}

QString TableView::selectionText() const
{
    QModelIndexList cells = selectionModel()->selectedIndexes();
    if (cells.isEmpty()) return {};
    const auto screenPosition = [this](const QModelIndex& index) {
        return std::pair(index.row(), m_header->visualIndex(index.column()));
    };
    std::ranges::sort(cells, {}, screenPosition);
    std::vector<int> columns; // in screen order
    for (const QModelIndex& cell : cells)
        columns.push_back(m_header->visualIndex(cell.column()));
    std::ranges::sort(columns);
    columns.erase(std::ranges::unique(columns).begin(), columns.end());
    QStringList line;
    for (const int visual : columns) {
        line << m_filter->headerData(m_header->logicalIndex(visual), Qt::Horizontal, copyRole).toString();
    }
    QString text = line.join('\t') + '\n';
    for (qsizetype i = 0; i < cells.size();) {
        const int row = cells[i].row();
        line.clear();
        for (const int visual : columns) {
            const bool isHere = i < cells.size() && cells[i].row() == row &&
                                m_header->visualIndex(cells[i].column()) == visual;
            QString cell = isHere ? cells[i++].data(copyRole).toString() : QString();
            line << cell.replace('\t', ' ').replace('\n', ' ');
        }
        text += line.join('\t') + '\n';
    }
    return text;
}

QString TableView::summaryText() const
{
    const QModelIndexList cells = selectionModel()->selectedIndexes();
    if (cells.size() < 2) return {};
    double sum = 0;
    int64_t numbers = 0;
    for (const QModelIndex& cell : cells) {
        const QVariant value = cell.data(numberRole);
        if (!value.isValid()) continue;
        sum += value.toDouble();
        ++numbers;
    }
    const auto text = [](double value) {
        const bool isWhole = value == std::floor(value) && std::abs(value) < 9e15;
        return isWhole ? QString::fromStdString(groupedText(static_cast<int64_t>(value)))
                       : QString::number(value, 'f', 3);
    };
    QString summary = tr("%n cell(s)", nullptr, static_cast<int>(cells.size()));
    if (numbers > 0)
        summary += "   " + tr("sum %1   mean %2").arg(text(sum), text(sum / static_cast<double>(numbers)));
    return summary;
}

void TableView::copySelection() const
{
    if (selectionModel()->hasSelection()) QGuiApplication::clipboard()->setText(selectionText());
}

void TableView::keyPressEvent(QKeyEvent* event)
{
    const bool isReturn = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (event->matches(QKeySequence::Copy)) {
        copySelection();
    } else if (m_offersSource && isReturn && (event->modifiers() & Qt::AltModifier) != 0) {
        requestSource(currentIndex());
    } else if (isReturn && currentIndex().isValid()) {
        emit tableRowActivated(currentTableRow());
    } else {
        const int before = currentTableRow();
        QTableView::keyPressEvent(event);
        constexpr std::array kNavigationKeys{Qt::Key_Up,       Qt::Key_Down, Qt::Key_PageUp,
                                             Qt::Key_PageDown, Qt::Key_Home, Qt::Key_End};
        const bool isNavigationKey =
            std::ranges::find(kNavigationKeys, event->key()) != kNavigationKeys.end();
        const int now = currentTableRow();
        if (isNavigationKey && now >= 0 && now != before) emit tableRowNavigated(now);
    }
}

void TableView::mousePressEvent(QMouseEvent* event)
{
    const QModelIndex cell = indexAt(event->position().toPoint());
    const bool isPlain = event->button() == Qt::LeftButton && event->modifiers() == Qt::NoModifier;
    m_clicked = isPlain ? cell : QModelIndex();
    const bool asks = m_offersSource && event->button() == Qt::LeftButton &&
                      (event->modifiers() & Qt::AltModifier) != 0 && cell.isValid();
    if (!asks) return QTableView::mousePressEvent(event);
    setCurrentIndex(cell);
    requestSource(cell);
}

void TableView::mouseReleaseEvent(QMouseEvent* event)
{
    QTableView::mouseReleaseEvent(event);
    const QPersistentModelIndex clicked = std::exchange(m_clicked, QModelIndex());
    if (clicked.isValid() && indexAt(event->position().toPoint()) == clicked)
        emit tableRowNavigated(m_filter->mapToSource(clicked).row());
}

void TableView::requestSource(const QModelIndex& cell)
{
    if (!cell.isValid()) return;
    scrollTo(cell);
    emit sourceRequested(m_filter->mapToSource(cell).row(), cell.column(), visualRect(cell));
}

void TableView::resizeEvent(QResizeEvent* event)
{
    QTableView::resizeEvent(event);
    stretch();
}

void TableView::selectionChanged(const QItemSelection& selected, const QItemSelection& deselected)
{
    QTableView::selectionChanged(selected, deselected);
    emit summaryChanged(summaryText());
}

void TableView::currentChanged(const QModelIndex& current, const QModelIndex& previous)
{
    QTableView::currentChanged(current, previous);
    m_delegate->setCurrentRow(current.isValid() ? current.row() : -1);
    viewport()->update();
    if (current.row() != previous.row()) emit currentTableRowChanged(currentTableRow());
}

void TableView::showHeaderMenu(QPoint position)
{
    auto* const menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    QAction* const filters = menu->addAction(tr("Filter row"));
    filters->setCheckable(true);
    filters->setChecked(m_header->areFiltersShown());
    connect(filters, &QAction::toggled, m_header, &FilterHeader::setFiltersShown);
    menu->addAction(tr("Fit columns"), this, &TableView::fitColumns);
    menu->addSeparator();
    for (int visual = 0; visual < m_header->count(); ++visual) {
        const int column = m_header->logicalIndex(visual);
        QAction* const shown = menu->addAction(m_filter->headerData(column, Qt::Horizontal).toString());
        shown->setCheckable(true);
        shown->setChecked(!isColumnHidden(column));
        shown->setEnabled(isColumnHidden(column) || m_header->count() - m_header->hiddenSectionCount() > 1);
        connect(shown, &QAction::toggled, this, [this, column](bool isShown) {
            setColumnHidden(column, !isShown);
            stretch();
        });
    }
    menu->popup(m_header->mapToGlobal(position));
}

QAction* TableView::saveAction() const
{
    const QWidget* top = this; // a floating panel is a child of the window, too
    while (top->parentWidget() != nullptr)
        top = top->parentWidget();
    return top->findChild<QAction*>(commandSpec(CommandId::saveTable).title);
}

void TableView::showCellMenu(QPoint position)
{
    auto* const menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(tr("Copy with header"), QKeySequence::Copy, this, &TableView::copySelection);
    menu->addAction(tr("Select all"), QKeySequence::SelectAll, this, &TableView::selectAll);
    if (QAction* const save = saveAction()) menu->addAction(save);
    const QPersistentModelIndex cell = indexAt(position);
    if (m_offersSource && cell.isValid()) {
        menu->addSeparator();
        menu->addAction(tr("Show source"), QKeySequence(Qt::ALT | Qt::Key_Return), this,
                        [this, cell] { requestSource(cell); });
    }
    menu->popup(viewport()->mapToGlobal(position));
}

} // namespace lockstep
