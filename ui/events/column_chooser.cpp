// SPDX-License-Identifier: Apache-2.0
#include "ui/events/column_chooser.h"

#include <algorithm>

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/style/style_sheet.h"

namespace lockstep {

ColumnChooser::ColumnChooser(EventTable& table, QWidget* parent)
    : QFrame(parent, Qt::Popup), m_table(table), m_find(new QLineEdit(this)), m_list(new QListWidget(this)),
      m_count(new QLabel(this))
{
    setObjectName("columnChooser");
    setProperty("card", true);
    auto* const column = new QVBoxLayout(this);
    column->setContentsMargins(scaledPixels(10), scaledPixels(10), scaledPixels(10), scaledPixels(8));
    column->setSpacing(scaledPixels(6));
    m_find->setPlaceholderText(tr("Find column"));
    m_find->setAccessibleName(tr("Find column"));
    m_list->setAccessibleName(tr("Columns, in display order"));
    m_list->setDragDropMode(QAbstractItemView::InternalMove);
    m_list->setDefaultDropAction(Qt::MoveAction);
    m_list->setFrameShape(QFrame::NoFrame);
    auto* const reset = new QPushButton(tr("Reset"), this);
    reset->setObjectName("resetColumns");
    reset->setFlat(true);
    reset->setToolTip(tr("Restore the default columns, their order and widths"));
    auto* const footer = new QHBoxLayout;
    m_count->setProperty("muted", true);
    footer->addWidget(m_count, 1);
    footer->addWidget(reset);
    column->addWidget(m_find);
    column->addWidget(m_list, 1);
    column->addLayout(footer);
    connect(m_find, &QLineEdit::textChanged, this, &ColumnChooser::find);
    connect(m_list, &QListWidget::itemChanged, this, &ColumnChooser::apply);
    connect(m_list->model(), &QAbstractItemModel::rowsMoved, this, &ColumnChooser::apply);
    connect(reset, &QPushButton::clicked, this, [this] {
        m_table.setColumns(firstColumns());
        fill();
        emit chosen();
    });
}

void ColumnChooser::popUp(const QWidget& button)
{
    m_find->clear();
    fill();
    const int width = scaledPixels(204);
    const int height =
        std::min(scaledPixels(420), m_list->sizeHintForRow(0) * m_list->count() + scaledPixels(100));
    setFixedSize(width, height);
    const QPoint corner = button.mapToGlobal(QPoint(button.width() - width, button.height()));
    // If there is no room below the button in the window, the popup opens above the button.
    const QWidget* const window = button.window();
    const int bottom = window->mapToGlobal(QPoint(0, window->height())).y();
    const QPoint above = button.mapToGlobal(QPoint(button.width() - width, -height));
    move(corner.y() + height > bottom ? above : corner);
    show();
    m_find->setFocus();
}

void ColumnChooser::fill()
{
    m_isFilling = true;
    m_list->clear();
    std::vector<std::pair<EventColumn, bool>> all;
    for (const ShownColumn& shown : m_table.columns())
        all.emplace_back(shown.column, true);
    const size_t shown = all.size();
    for (size_t i = 0; i < kEventColumns; ++i) {
        const auto column = static_cast<EventColumn>(i);
        if (std::ranges::find(all, column, &std::pair<EventColumn, bool>::first) == all.end())
            all.emplace_back(column, false);
    }
    for (const auto& [column, isShown] : all) {
        auto* const item = new QListWidgetItem(
            m_table.model().headerData(static_cast<int>(column), Qt::Horizontal, Qt::DisplayRole).toString(),
            m_list);
        item->setData(Qt::UserRole, static_cast<int>(column));
        item->setToolTip(
            m_table.model().headerData(static_cast<int>(column), Qt::Horizontal, Qt::ToolTipRole).toString());
        item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable |
                       Qt::ItemIsDragEnabled);
        item->setCheckState(isShown ? Qt::Checked : Qt::Unchecked);
    }
    m_count->setText(tr("%1 of %2 shown").arg(shown).arg(all.size()));
    m_isFilling = false;
}

void ColumnChooser::apply()
{
    if (m_isFilling) return;
    ShownColumns columns;
    const ShownColumns before = m_table.columns();
    for (int i = 0; i < m_list->count(); ++i) {
        const QListWidgetItem& item = *m_list->item(i);
        if (item.checkState() != Qt::Checked) continue;
        const auto column = static_cast<EventColumn>(item.data(Qt::UserRole).toInt());
        const auto held = std::ranges::find(before, column, &ShownColumn::column);
        columns.push_back({column, held == before.end() ? eventColumn(column).width : held->width});
    }
    // A table needs at least one column.
    if (columns.empty()) return fill();
    m_table.setColumns(columns);
    m_count->setText(tr("%1 of %2 shown").arg(columns.size()).arg(kEventColumns));
    emit chosen();
}

void ColumnChooser::find(const QString& text)
{
    for (int i = 0; i < m_list->count(); ++i)
        m_list->item(i)->setHidden(!m_list->item(i)->text().contains(text, Qt::CaseInsensitive));
}

} // namespace lockstep
