// SPDX-License-Identifier: Apache-2.0
#include "ui/panels/charted_table.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

#include "ui/charts/chart_pane.h"
#include "ui/models/table_model.h"
#include "ui/panels/filter_header.h"
#include "ui/panels/source_popover.h"
#include "ui/panels/table_view.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

constexpr int kLeastTable = 480; // px at scale 1 that a chart leaves to its table

QPushButton* makeSwitch(const QString& text, const QString& tip, QWidget* parent)
{
    auto* const button = new QPushButton(text, parent);
    button->setCheckable(true);
    button->setProperty("toggle", true);
    button->setToolTip(tip);
    return button;
}

} // namespace

ChartedTable::ChartedTable(QWidget* parent)
    : QWidget(parent), m_hint(new QLabel(this)), m_model(new TableModel(this)), m_view(new TableView(this)),
      m_charts(new ChartPane(*m_view, this)),
      m_switch(makeSwitch(tr("Chart"), tr("Show the chart of the table beside it"), this)),
      m_filters(makeSwitch(tr("Filter row"), tr("A filter for each column: a text, or >10, <=2.5, =3"), this))
{
    auto* const line = new QHBoxLayout(this);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(0);
    m_hint->setTextFormat(Qt::PlainText);
    m_hint->setProperty("muted", true);
    m_hint->setAlignment(Qt::AlignCenter);
    m_hint->setWordWrap(true);
    m_hint->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    line->addWidget(m_hint, 1);
    line->addWidget(m_view, 1);
    line->addWidget(m_charts);
    m_view->setTable(m_model);
    m_view->setTextElideMode(Qt::ElideMiddle);
    m_switch->setChecked(true);
    m_hint->hide();
    m_charts->hide();
    m_switch->hide();
    m_filters->hide();
    connect(m_switch, &QPushButton::toggled, this, &ChartedTable::placeChart);
    connect(m_filters, &QPushButton::toggled, m_view->filterHeader(), &FilterHeader::setFiltersShown);
    connect(m_view, &TableView::tableRowActivated, this, &ChartedTable::rowActivated);
    connect(m_view, &TableView::sourceRequested, this, &ChartedTable::tellSource);
    connect(m_charts, &ChartPane::rowClicked, this, [this](int row) {
        m_view->selectTableRow(row);
        emit rowActivated(row);
    });
}

const Table* ChartedTable::table() const
{
    return m_model->table();
}

void ChartedTable::setTable(std::shared_ptr<const Table> table)
{
    m_model->setTable(table);
    m_charts->setTable(std::move(table));
    layOutColumns();
    placeChart();
}

// A user's widths and sorting stay for as long as the columns do.
void ChartedTable::layOutColumns()
{
    if (table() == nullptr || table()->rowCount() == 0) return;
    const std::string& name = table()->name();
    QString layout = QString::fromStdString(name.substr(0, name.find(':'))) + '\n';
    for (size_t i = 0; i < table()->columnCount(); ++i)
        layout += QString::fromStdString(table()->column(i).name) + '\n';
    if (layout == m_layout) return;
    m_layout = layout;
    m_view->setStretchColumn(-1);
    for (size_t i = 0; i < table()->columnCount(); ++i) {
        const TableColumn& column = table()->column(i);
        if (column.type == ColumnType::text && column.name != "report")
            m_view->setStretchColumn(static_cast<int>(i));
    }
    m_view->fitColumns();
    m_view->sortByColumn(-1, Qt::AscendingOrder); // as the analysis lists them
}

void ChartedTable::setHint(const QString& hint)
{
    m_hint->setText(hint);
    m_hint->setVisible(!hint.isEmpty());
    m_view->setVisible(hint.isEmpty());
    placeChart();
}

QString ChartedTable::hint() const
{
    return m_hint->isHidden() ? QString() : m_hint->text();
}

void ChartedTable::setTheme(const Theme& theme)
{
    m_view->setTheme(theme);
    m_charts->setTheme(theme);
    m_layout.clear();
}

void ChartedTable::setOrigin(ScenePtr scene, const Scope& scope)
{
    if (m_popover != nullptr) m_popover->hide();
    m_scene = std::move(scene);
    m_scope = scope;
    m_view->setTellsSource(m_scene != nullptr);
}

void ChartedTable::tellSource(int tableRow, int column, const QRect& cell)
{
    if (table() == nullptr || tableRow < 0) return;
    if (m_popover == nullptr || m_popover->parentWidget() != window()) {
        delete m_popover;
        m_popover = new SourcePopover(window());
        connect(m_popover, &SourcePopover::sqlRequested, this, &ChartedTable::sqlRequested);
        connect(m_popover, &SourcePopover::showRequested, this,
                [this] { emit rowActivated(m_view->currentTableRow()); });
    }
    const auto row = static_cast<size_t>(tableRow);
    const auto sql = sqlFormOf(table()->name(), m_scope);
    const QRect place(m_view->viewport()->mapTo(window(), cell.topLeft()), cell.size());
    m_popover->showSource(cellSourceOf(*table(), static_cast<size_t>(column), row, *m_scene, m_scope),
                          m_scene, place, QString::fromStdString(sql.value_or("")),
                          table()->longest(row).isValid());
}

void ChartedTable::placeChart()
{
    const bool hasRoom = width() >= m_charts->maximumWidth() + scaledPixels(kLeastTable);
    const bool canBe = m_charts->kind().has_value() && m_hint->isHidden() && hasRoom;
    m_switch->setVisible(canBe);
    m_charts->setVisible(canBe && m_switch->isChecked());
}

void ChartedTable::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    placeChart();
}

} // namespace lockstep
