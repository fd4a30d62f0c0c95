// SPDX-License-Identifier: Apache-2.0
#include "ui/panels/identity_view.h"

#include <algorithm>

#include <QClipboard>
#include <QCompleter>
#include <QGuiApplication>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLineEdit>

#include "ui/panels/filter_header.h"
#include "ui/panels/table_cell_delegate.h"

namespace lockstep {

namespace {

class CellEditor : public TableCellDelegate {
  public:
    explicit CellEditor(IdentityView& view) : TableCellDelegate(&view), m_view(view) {}

    QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem&,
                          const QModelIndex& index) const override
    {
        auto* const field = new QLineEdit(parent);
        field->setFrame(false);
        auto* const completer = new QCompleter(m_view.identities().valuesOf(index.column()), field);
        completer->setCaseSensitivity(Qt::CaseInsensitive);
        field->setCompleter(completer);
        return field;
    }

    void setModelData(QWidget* editor, QAbstractItemModel*, const QModelIndex& index) const override
    {
        const QString text = static_cast<QLineEdit*>(editor)->text().trimmed();
        if (text != index.data(Qt::EditRole).toString() ||
            m_view.selectionModel()->selectedIndexes().size() > 1)
            m_view.setFrom(index, text);
    }

  private:
    IdentityView& m_view;
};

} // namespace

IdentityView::IdentityView(ReportIdentityModel& model, QWidget* parent) : TableView(parent), m_model(model)
{
    setCellDelegate(new CellEditor(*this));
    setTable(&model);
    setStretchColumn(0);
    sortByColumn(-1, Qt::AscendingOrder);
    setEditTriggers(DoubleClicked | EditKeyPressed | AnyKeyPressed);
    setAccessibleName(tr("Report identities"));
}

QModelIndex IdentityView::inModel(const QModelIndex& shown) const
{
    return static_cast<const QAbstractProxyModel*>(model())->mapToSource(shown);
}

QModelIndexList IdentityView::selectedInOrder() const
{
    QModelIndexList cells = selectionModel()->selectedIndexes();
    std::ranges::sort(cells, {}, [this](const QModelIndex& cell) {
        return std::pair(cell.row(), horizontalHeader()->visualIndex(cell.column()));
    });
    return cells;
}

void IdentityView::setFrom(const QModelIndex& cell, const QString& text)
{
    Cells cells;
    if (selectionModel()->isSelected(cell)) {
        for (const QModelIndex& selected : selectedInOrder()) {
            if (selected.column() == cell.column()) cells.emplace_back(inModel(selected), text);
        }
    } else {
        cells.emplace_back(inModel(cell), text);
    }
    m_model.setCells(cells);
}

void IdentityView::paste(const QString& text)
{
    QList<QStringList> lines;
    for (QString line : text.split('\n')) {
        if (line.endsWith('\r')) line.chop(1);
        lines << line.split('\t');
    }
    if (!lines.isEmpty() && lines.back() == QStringList{QString()}) lines.removeLast();
    QStringList titles;
    for (int column = 0; column < m_model.columnCount(); ++column)
        titles << m_model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
    const bool hasHead = lines.size() > 1 && std::ranges::all_of(lines[0], [&](const QString& cell) {
                             return titles.contains(cell);
                         });
    if (hasHead) lines.removeFirst();
    const QModelIndexList selected = selectedInOrder();
    if (lines.isEmpty() || selected.isEmpty()) return;
    Cells cells;
    if (lines.size() == 1 && lines[0].size() == 1) {
        for (const QModelIndex& cell : selected)
            cells.emplace_back(inModel(cell), lines[0][0]);
        return m_model.setCells(cells);
    }
    const int firstColumn = horizontalHeader()->visualIndex(selected[0].column());
    for (qsizetype row = 0; row < lines.size(); ++row) {
        for (qsizetype column = 0; column < lines[row].size(); ++column) {
            const int logical = horizontalHeader()->logicalIndex(firstColumn + static_cast<int>(column));
            const QModelIndex cell = model()->index(selected[0].row() + static_cast<int>(row), logical);
            if (cell.isValid() && cell.data(Qt::EditRole).toString() != lines[row][column])
                cells.emplace_back(inModel(cell), lines[row][column]);
        }
    }
    m_model.setCells(cells);
}

void IdentityView::rollBack()
{
    Cells cells;
    for (const QModelIndex& cell : selectedInOrder())
        cells.emplace_back(inModel(cell), QString());
    m_model.setCells(cells);
}

void IdentityView::keyPressEvent(QKeyEvent* event)
{
    if (event->matches(QKeySequence::Paste)) {
        paste(QGuiApplication::clipboard()->text());
    } else if (event->key() == Qt::Key_Delete || event->key() == Qt::Key_Backspace) {
        rollBack();
    } else if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) &&
               currentIndex().isValid()) {
        if (m_model.isEditable(currentIndex().column())) edit(currentIndex());
    } else {
        TableView::keyPressEvent(event);
    }
}

} // namespace lockstep
