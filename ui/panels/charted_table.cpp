// SPDX-License-Identifier: Apache-2.0
#include "ui/panels/charted_table.h"

#include <algorithm>
#include <utility>

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSplitter>
#include <QStyle>

#include "ui/charts/chart_pane.h"
#include "ui/models/table_model.h"
#include "ui/panels/filter_header.h"
#include "ui/panels/source_popover.h"
#include "ui/panels/summary_row.h"
#include "ui/panels/table_view.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

constexpr int kMinTable = 480; // px at scale 1, minimum width of a table next to a chart
constexpr int kMinChart = 230; // px at scale 1, minimum width of an owner's chart

QPushButton* makeSwitch(const QString& text, const QString& tip, QWidget* parent)
{
    auto* const button = new QPushButton(text, parent);
    button->setCheckable(true);
    button->setProperty("toggle", true);
    button->setToolTip(tip);
    return button;
}

} // namespace

ChartedTable::ChartedTable(QWidget* parent, QWidget* chart)
    : QWidget(parent), m_hint(new QLabel(this)), m_model(new TableModel(this)), m_view(new TableView(this)),
      m_summary(new SummaryRow(*m_view, *m_model, this)),
      m_charts(chart == nullptr ? new ChartPane(*m_view, this) : nullptr), m_rows(makeRows()), m_body(m_rows),
      m_chart(chart == nullptr ? m_charts : chart),
      m_switch(makeSwitch(tr("Chart"), tr("Show a chart next to the table"), this)),
      m_filters(
          makeSwitch(tr("Filter row"), tr("Show a filter for each column: text, or >10, <=2.5, =3"), this)),
      m_empty(makeSwitch({}, {}, this)), m_find(new QLineEdit(this))
{
    m_empty->setObjectName("emptyColumns");
    m_switch->setObjectName("chart");
    auto* const line = new QHBoxLayout(this);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(0);
    m_hint->setTextFormat(Qt::PlainText);
    m_hint->setMargin(scaledPixels(12));
    m_hint->setProperty("muted", true);
    m_hint->setAlignment(Qt::AlignCenter);
    m_hint->setWordWrap(true);
    m_hint->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_hint->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    line->addWidget(m_hint, 1);
    if (chart != nullptr) splitWith(chart);
    line->addWidget(m_body, 1);
    if (chart == nullptr) line->addWidget(m_charts);
    m_view->setTable(m_model);
    m_view->setKeepsRow(true);
    m_view->setTextElideMode(Qt::ElideMiddle);
    m_switch->setChecked(true);
    m_find->setPlaceholderText(tr("Find in table"));
    m_find->setAccessibleName(tr("Find in table"));
    m_find->setClearButtonEnabled(true);
    m_find->setMaximumWidth(scaledPixels(200));
    for (QWidget* const part :
         std::initializer_list<QWidget*>{m_hint, m_chart, m_switch, m_filters, m_empty, m_find})
        part->hide();
    connect(m_switch, &QPushButton::toggled, this, &ChartedTable::placeChart);
    connect(m_filters, &QPushButton::toggled, m_view->filterHeader(), &FilterHeader::setFiltersShown);
    connect(m_empty, &QPushButton::toggled, this, &ChartedTable::hideEmptyColumns);
    connect(m_view, &TableView::tableRowActivated, this, &ChartedTable::rowActivated);
    connect(m_view, &TableView::tableRowNavigated, this, &ChartedTable::rowNavigated);
    connect(m_view, &TableView::sourceRequested, this, &ChartedTable::showSourcePopover);
    connect(m_find, &QLineEdit::textChanged, m_view, &TableView::setTextFilter);
    if (m_charts != nullptr) connect(m_charts, &ChartPane::rowClicked, this, &ChartedTable::activateRow);
}

QWidget* ChartedTable::makeRows()
{
    auto* const rows = new QWidget(this);
    auto* const column = new QVBoxLayout(rows);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_view, 1);
    column->addWidget(m_summary);
    return rows;
}

void ChartedTable::splitWith(QWidget* chart)
{
    auto* const split = new QSplitter(Qt::Horizontal, this);
    split->addWidget(m_rows);
    split->addWidget(chart);
    split->setStretchFactor(0, 7);
    split->setStretchFactor(1, 3);
    split->setHandleWidth(1);
    m_body = split;
}

void ChartedTable::addControls(QHBoxLayout& bar)
{
    bar.addWidget(m_switch);
    bar.addWidget(m_filters);
    bar.addWidget(m_empty);
    bar.addWidget(m_find, 1);
    m_filters->show();
    m_find->show();
    m_hasControls = true;
}

void ChartedTable::activateRow(int tableRow)
{
    m_view->selectTableRow(tableRow);
    emit rowActivated(tableRow);
}

const Table* ChartedTable::table() const
{
    return m_model->table();
}

bool ChartedTable::setTable(std::shared_ptr<const Table> table)
{
    m_model->setTable(table);
    if (m_charts != nullptr) m_charts->setTable(std::move(table));
    const bool isLaidOut = layOutColumns();
    placeChart();
    return isLaidOut;
}

// Keeps the user's widths and sorting while the columns stay the same.
bool ChartedTable::layOutColumns()
{
    if (table() == nullptr || table()->rowCount() == 0) {
        m_empty->hide();
        return false;
    }
    const std::string& name = table()->name();
    QString layout = QString::fromStdString(name.substr(0, name.find(':'))) + '\n';
    for (size_t i = 0; i < table()->columnCount(); ++i)
        layout += QString::fromStdString(table()->column(i).name) + '\n';
    if (layout == m_layout) {
        hideEmptyColumns();
        return false;
    }
    m_layout = layout;
    m_hiddenColumns.clear();
    m_view->setStretchColumn(-1);
    for (size_t i = 0; i < table()->columnCount(); ++i) {
        const TableColumn& column = table()->column(i);
        m_view->setColumnHidden(static_cast<int>(i), false);
        if (column.type == ColumnType::text && column.name != "report")
            m_view->setStretchColumn(static_cast<int>(i));
    }
    hideEmptyColumns();
    m_view->fitColumns();
    if (m_charts == nullptr) shareWidth();
    m_view->sortByColumn(-1, Qt::AscendingOrder); // in the order of the analysis
    return true;
}

// Hides or shows only the empty columns, because the user may have hidden others. Hides none if all columns
// are empty, if there is no bar for the switch, or in the answer to a query, whose columns the user chose.
void ChartedTable::hideEmptyColumns()
{
    for (const int column : std::exchange(m_hiddenColumns, {}))
        m_view->setColumnHidden(column, false);
    std::vector<int> empty;
    const bool mayHide = m_hasControls && table() != nullptr && table()->headerStyle != HeaderStyle::query;
    for (size_t i = 0; mayHide && i < table()->columnCount(); ++i) {
        if (table()->column(i).isEmpty()) empty.push_back(static_cast<int>(i));
    }
    const bool hasSome = !empty.empty() && empty.size() < table()->columnCount();
    const auto count = static_cast<int>(empty.size());
    m_empty->setVisible(hasSome);
    m_empty->setText(tr("Show %n empty column(s)", nullptr, count));
    m_empty->setToolTip(tr("Columns without a value in any row"));
    if (hasSome && !m_empty->isChecked()) {
        for (const int column : empty) {
            if (m_view->isColumnHidden(column)) continue;
            m_view->setColumnHidden(column, true);
            m_hiddenColumns.push_back(column);
        }
    }
    m_view->stretch();
}

// Gives the columns the width they need before the chart gets the rest, because text that distinguishes rows
// is more important than a wider chart.
void ChartedTable::shareWidth()
{
    auto* const split = qobject_cast<QSplitter*>(m_body);
    if (split == nullptr || width() <= 0) return;
    const int chart = std::clamp(width() - m_view->neededWidth(), scaledPixels(kMinChart),
                                 std::max(scaledPixels(kMinChart), width() * 3 / 10));
    split->setSizes({width() - chart, chart});
}

void ChartedTable::setHint(const QString& hint, bool isError)
{
    if (m_hint->property("muted").toBool() == isError) {
        m_hint->setProperty("muted", !isError);
        m_hint->style()->polish(m_hint);
    }
    m_hint->setText(hint);
    m_hint->setVisible(!hint.isEmpty());
    m_body->setVisible(hint.isEmpty());
    placeChart();
}

QString ChartedTable::hint() const
{
    return m_hint->isHidden() ? QString() : m_hint->text();
}

void ChartedTable::setTheme(const Theme& theme)
{
    m_view->setTheme(theme);
    m_summary->setTheme(theme);
    if (m_charts != nullptr) m_charts->setTheme(theme);
    m_layout.clear();
}

void ChartedTable::setOrigin(ScenePtr scene, const Scope& scope)
{
    if (m_popover != nullptr) m_popover->hide();
    m_scene = std::move(scene);
    m_scope = scope;
    m_view->setOffersSource(m_scene != nullptr);
}

void ChartedTable::showSourcePopover(int tableRow, int column, const QRect& cell)
{
    if (table() == nullptr || tableRow < 0) return;
    if (m_popover == nullptr || m_popover->parentWidget() != window()) {
        delete m_popover;
        m_popover = new SourcePopover(window());
        connect(m_popover, &SourcePopover::sqlRequested, this, &ChartedTable::sqlRequested);
        connect(m_popover, &SourcePopover::showRequested, this, [this] {
            // The row may have disappeared after the card was opened.
            if (const int row = m_view->currentTableRow(); row >= 0) emit rowActivated(row);
        });
    }
    const auto row = static_cast<size_t>(tableRow);
    const auto sql = sqlFormOf(table()->name(), m_scope);
    const QRect windowCell(m_view->viewport()->mapTo(window(), cell.topLeft()), cell.size());
    m_popover->showSource(cellSourceOf(*table(), static_cast<size_t>(column), row, *m_scene, m_scope),
                          m_scene, windowCell, QString::fromStdString(sql.value_or("")),
                          table()->longest(row).isValid());
}

void ChartedTable::placeChart()
{
    const bool hasOne = m_charts == nullptr ? m_model->rowCount() > 0 : m_charts->kind().has_value();
    // An owner's chart can be resized with its splitter handle, so it needs no minimum.
    const bool hasRoom = m_charts == nullptr || width() >= m_charts->maximumWidth() + scaledPixels(kMinTable);
    const bool canBe = hasOne && m_hint->isHidden() && hasRoom;
    m_switch->setVisible(canBe);
    m_chart->setVisible(canBe && m_switch->isChecked());
}

void ChartedTable::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    constexpr int kMinRows = 8; // the header, six rows and the row of means, which is left out otherwise
    m_summary->setHasRoom(height() >= kMinRows * m_summary->sizeHint().height());
    placeChart();
}

} // namespace lockstep
