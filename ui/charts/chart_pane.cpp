// SPDX-License-Identifier: Apache-2.0
#include "ui/charts/chart_pane.h"

#include "ui/charts/curve_chart.h"
#include "ui/charts/heat_chart.h"
#include "ui/charts/histogram_view.h"
#include "ui/charts/row_chart.h"
#include "ui/panels/table_view.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

ChartPane::ChartPane(TableView& view, QWidget* parent)
    : QStackedWidget(parent), m_rows(new RowChart(view, this)), m_heat(new HeatChart(this)),
      m_curves(new CurveChart(this)), m_histogram(new HistogramView(HistogramView::Choice::oneBar, this))
{
    setFixedWidth(scaledPixels(436));
    addWidget(m_rows);
    addWidget(m_heat);
    addWidget(m_curves);
    addWidget(m_histogram);
    m_histogram->setAccessibleName(tr("Chart of the table"));
    m_histogram->setContentsMargins(scaledPixels(12), scaledPixels(4), scaledPixels(6), scaledPixels(4));
    connect(m_rows, &RowChart::rowClicked, this, &ChartPane::rowClicked);
    connect(m_heat, &HeatChart::rowClicked, this, &ChartPane::rowClicked);
    connect(m_curves, &CurveChart::rowClicked, this, &ChartPane::rowClicked);
    connect(m_histogram, &HistogramView::barsChosen, this, &ChartPane::rowClicked);
    connect(&view, &TableView::currentTableRowChanged, this, &ChartPane::showHistogram);
}

void ChartPane::setTable(std::shared_ptr<const Table> table)
{
    m_table = std::move(table);
    m_kind = m_table ? chartOfTable(*m_table) : std::nullopt;
    const TableChart chart = m_kind.value_or(TableChart{{}, {}, {0}, 0, {}, {}, {}});
    const ChartKind kind = chart.kind; // bars if there is no chart
    QWidget* shown = m_rows;
    if (kind == ChartKind::heatMap) shown = m_heat;
    if (kind == ChartKind::series) shown = m_curves;
    if (kind == ChartKind::histogram) shown = m_histogram;
    const auto tableIf = [&](const QWidget* widget) { return m_kind && shown == widget ? m_table : nullptr; };
    m_rows->setChart(tableIf(m_rows), chart);
    m_heat->setChart(tableIf(m_heat), chart);
    m_curves->setChart(tableIf(m_curves), chart);
    m_histogram->setHistogram({}, {});
    showHistogram(0);
    setCurrentWidget(shown);
}

void ChartPane::showHistogram(int tableRow)
{
    if (!m_kind || m_kind->kind != ChartKind::histogram || tableRow < 0) return;
    const auto row = static_cast<size_t>(tableRow);
    const HistogramBars& shown = m_histogram->histogram();
    if (!shown.bars.empty() && chartLabel(*m_table, *m_kind, row) == shown.name) return;
    m_histogram->setHistogram(histogramBarsOf(*m_table, *m_kind, row),
                              m_theme->category(SliceCategory::compute));
}

void ChartPane::setTheme(const Theme& theme)
{
    m_rows->setTheme(theme);
    m_heat->setTheme(theme);
    m_curves->setTheme(theme);
    m_histogram->setTheme(theme);
    m_histogram->setHistogram(m_histogram->histogram(), theme.category(SliceCategory::compute));
    m_theme = &theme;
}

} // namespace lockstep
