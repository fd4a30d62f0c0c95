// SPDX-License-Identifier: Apache-2.0
// ChartPane shows a chart of the kind that chartOfTable() returns next to a table view, 436 px wide at scale
// 1. The pane is empty if the table has no chart. A click on a bar, cell or point activates the matching row
// of the table. UI thread.
#pragma once

#include <memory>
#include <optional>

#include <QStackedWidget>

#include "core/analysis/table_chart.h"
#include "ui/style/theme.h"

namespace lockstep {

class CurveChart;
class HeatChart;
class HistogramView;
class RowChart;
class TableView;

class ChartPane : public QStackedWidget {
    Q_OBJECT

  public:
    // `view` must outlive the pane.
    explicit ChartPane(TableView& view, QWidget* parent = nullptr);

    // Sets the table to chart; nullptr for none.
    void setTable(std::shared_ptr<const Table> table);
    void setTheme(const Theme& theme);
    // Returns the kind of chart for the table; nullopt if the table has none.
    const std::optional<TableChart>& kind() const { return m_kind; }
    RowChart* rows() const { return m_rows; }
    HeatChart* heat() const { return m_heat; }
    CurveChart* curves() const { return m_curves; }
    HistogramView* histogram() const { return m_histogram; }

  signals:
    void rowClicked(int tableRow);

  private:
    // Shows the histogram for the name in this row, if the chart of the table is a histogram.
    void showHistogram(int tableRow);

    const Theme* m_theme = &lightTheme();
    std::shared_ptr<const Table> m_table;
    std::optional<TableChart> m_kind;
    RowChart* m_rows;
    HeatChart* m_heat;
    CurveChart* m_curves;
    HistogramView* m_histogram;
};

} // namespace lockstep
