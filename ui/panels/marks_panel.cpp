// SPDX-License-Identifier: Apache-2.0
#include "ui/panels/marks_panel.h"

#include <algorithm>
#include <set>

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QItemSelectionModel>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QVBoxLayout>

#include "core/export/markdown_text.h"
#include "ui/panels/table_view.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

MarksPanel::MarksPanel(MarkStore& store, QWidget* parent)
    : Panel("Markers", {.help = "selection#Markers and notes"}, parent), m_store(store),
      m_hint(new QLabel(this)), m_bar(new QWidget(this)), m_find(new QLineEdit(this)),
      m_model(new MarkModel(store, this)), m_view(new TableView(this))
{
    setProperty("page", true);
    m_hint->setText(
        tr("No markers. To mark the selection or the time at the cursor, choose Edit \u203A Toggle marker or "
           "Edit \u203A Add note."));
    m_hint->setProperty("muted", true);
    m_hint->setAlignment(Qt::AlignCenter);
    m_hint->setWordWrap(true);
    m_find->setPlaceholderText(tr("Find in markers"));
    m_find->setAccessibleName(tr("Find in markers"));
    m_find->setClearButtonEnabled(true);
    m_find->setMaximumWidth(scaledPixels(240));
    auto* const copy = new QPushButton(tr("Copy as Markdown"), m_bar);
    copy->setToolTip(tr("Copy the selected rows, or all; Ctrl+C copies tab-separated text"));
    auto* const bar = new QHBoxLayout(m_bar);
    bar->setContentsMargins(scaledPixels(8), scaledPixels(5), scaledPixels(8), scaledPixels(5));
    bar->addWidget(m_find, 1);
    bar->addStretch(1);
    bar->addWidget(copy);
    auto* const column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_bar);
    column->addWidget(m_hint, 1);
    column->addWidget(m_view, 1);
    m_view->setTable(m_model);
    m_view->setStretchColumn(MarkModel::textColumn);
    m_view->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_view->sortByColumn(MarkModel::timeColumn, Qt::AscendingOrder);
    m_view->setAccessibleName(tr("Markers"));
    m_view->installEventFilter(this);
    connect(copy, &QPushButton::clicked, this, [this] { QGuiApplication::clipboard()->setText(markdown()); });
    connect(m_find, &QLineEdit::textChanged, this,
            [this](const QString& text) { m_view->setTextFilter(text); });
    connect(m_view, &TableView::summaryChanged, this, &MarksPanel::summaryChanged);
    const auto activate = [this](int row) {
        if (row >= 0 && !m_isRefreshing) emit markActivated(m_model->numberAt(row));
    };
    connect(m_view, &TableView::tableRowActivated, this, activate);
    connect(m_view, &TableView::currentTableRowChanged, this, [this, activate](int row) {
        if (m_view->hasFocus()) activate(row);
    });
    connect(&store, &MarkStore::changed, this, &MarksPanel::outdate);
    rebuild();
}

void MarksPanel::rebuild()
{
    m_isRefreshing = true;
    const int64_t current = m_model->numberAt(m_view->currentTableRow());
    m_model->refresh();
    const bool isEmpty = m_store.marks().isEmpty();
    m_hint->setVisible(isEmpty);
    m_view->setVisible(!isEmpty);
    m_bar->setVisible(!isEmpty);
    m_view->growColumns();
    if (const int row = m_model->rowOf(current); row >= 0) m_view->selectTableRow(row);
    m_isRefreshing = false;
}

void MarksPanel::setTheme(const Theme& theme)
{
    m_model->setTheme(theme);
    m_view->setTheme(theme);
}

void MarksPanel::showMark(int64_t number)
{
    m_isRefreshing = true; // no signal: the view already shows this marker
    const int row = m_model->rowOf(number);
    if (row >= 0) m_view->selectTableRow(row);
    m_isRefreshing = false;
}

std::vector<int64_t> MarksPanel::selected() const
{
    std::set<int64_t> numbers;
    const auto* const filter = qobject_cast<const QAbstractProxyModel*>(m_view->model());
    for (const QModelIndex& cell : m_view->selectionModel()->selectedIndexes())
        numbers.insert(m_model->numberAt(filter == nullptr ? cell.row() : filter->mapToSource(cell).row()));
    if (numbers.empty() && m_view->currentTableRow() >= 0)
        numbers.insert(m_model->numberAt(m_view->currentTableRow()));
    return {numbers.begin(), numbers.end()};
}

QString MarksPanel::markdown() const
{
    const auto cell = [](const QString& text) {
        return QString::fromStdString(markdownCell(text.toStdString()));
    };
    const auto line = [&](const auto& textAt) {
        QString out = "|";
        for (int column = 0; column < MarkModel::columnEnd; ++column)
            out += ' ' + cell(textAt(column)) + " |";
        return out + '\n';
    };
    QString out = line([this](int column) {
        return m_model->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
    });
    out += "|" + QString(" --- |").repeated(MarkModel::columnEnd) + '\n';
    std::vector<int64_t> numbers = selected();
    const bool isOneCell = m_view->selectionModel()->selectedIndexes().size() <= 1;
    if (isOneCell) { // no selection: all rows that the filter shows, in sort order
        numbers.clear();
        for (int row = 0; row < m_view->shownRows(); ++row)
            numbers.push_back(m_model->numberAt(m_view->tableRowOf(row)));
    }
    for (const int64_t number : numbers) {
        const int row = m_model->rowOf(number);
        out += line([&](int column) {
            return m_model->data(m_model->index(row, column), Qt::ToolTipRole).toString();
        });
    }
    return out;
}

void MarksPanel::editText()
{
    const QModelIndex current = m_view->currentIndex();
    if (!current.isValid()) return;
    m_view->edit(current.siblingAtColumn(MarkModel::textColumn));
}

bool MarksPanel::pressMarkKey(int key, Qt::KeyboardModifiers modifiers)
{
    if ((modifiers & ~Qt::KeypadModifier) != Qt::NoModifier) return false;
    if (key == Qt::Key_Delete) {
        m_store.remove(selected());
        return true;
    }
    if (key == Qt::Key_F2) {
        editText();
        return true;
    }
    return false;
}

bool MarksPanel::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::KeyPress) {
        auto* const press = static_cast<QKeyEvent*>(event);
        if (pressMarkKey(press->key(), press->modifiers())) return true;
    }
    return Panel::eventFilter(watched, event);
}

} // namespace lockstep
