// SPDX-License-Identifier: Apache-2.0
#include "ui/charts/chart_pane.h"

#include "ui/charts/curve_chart.h"
#include "ui/charts/heat_chart.h"
#include "ui/charts/row_chart.h"
#include "ui/panels/table_view.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

ChartPane::ChartPane(TableView& view, QWidget* parent)
    : QStackedWidget(parent), m_rows(new RowChart(view, this)), m_heat(new HeatChart(this)),
      m_curves(new CurveChart(this))
{
    setFixedWidth(scaledPixels(436));
    addWidget(m_rows);
    addWidget(m_heat);
    addWidget(m_curves);
    connect(m_rows, &RowChart::rowClicked, this, &ChartPane::rowClicked);
    connect(m_heat, &HeatChart::rowClicked, this, &ChartPane::rowClicked);
    connect(m_curves, &CurveChart::rowClicked, this, &ChartPane::rowClicked);
    connect(&view, &TableView::currentTableRowChanged, m_curves, &CurveChart::setCurrentRow);
}

void ChartPane::setTable(std::shared_ptr<const Table> table)
{
    m_kind = table ? chartOfTable(*table) : std::nullopt;
    const bool isOfRows = m_kind && (m_kind->kind == ChartKind::bars || m_kind->kind == ChartKind::stacked);
    const bool isHeat = m_kind && m_kind->kind == ChartKind::heatMap;
    const bool isCurve = m_kind && !isOfRows && !isHeat;
    const TableChart chart = m_kind.value_or(TableChart{{}, {}, {0}, 0, {}, {}, {}});
    m_rows->setChart(isOfRows ? table : nullptr, chart);
    m_heat->setChart(isHeat ? table : nullptr, chart);
    m_curves->setChart(isCurve ? table : nullptr, chart);
    if (isHeat) {
        setCurrentWidget(m_heat);
    } else if (isCurve) {
        setCurrentWidget(m_curves);
    } else {
        setCurrentWidget(m_rows);
    }
}

void ChartPane::setTheme(const Theme& theme)
{
    m_rows->setTheme(theme);
    m_heat->setTheme(theme);
    m_curves->setTheme(theme);
}

} // namespace lockstep
