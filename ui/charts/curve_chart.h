// SPDX-License-Identifier: Apache-2.0
// CurveChart: charts with axes of their own: how often what took how long (histogram of the name of one row),
// and a value by step with its mean and the mean's 95 % interval. Follows the theme; a click tells the
// table's row. UI thread.
#pragma once

#include <memory>
#include <vector>

#include <QChartView>

#include "core/analysis/table_chart.h"
#include "ui/style/theme.h"

class QAbstractAxis;
class QXYSeries;

namespace lockstep {

class CurveChart : public QChartView {
    Q_OBJECT

  public:
    explicit CurveChart(QWidget* parent = nullptr);

    // chart: of kind histogram or series. nullptr empties the chart.
    void setChart(std::shared_ptr<const Table> table, const TableChart& chart);
    // Of a histogram: that of the name which this row has; no other rows are drawn.
    void setCurrentRow(int tableRow);
    void setTheme(const Theme& theme);
    // The table's rows that are drawn, in the order of the axis; for tests.
    const std::vector<int>& drawnRows() const { return m_rows; }

  signals:
    void rowClicked(int tableRow);

  private:
    void plot();
    void plotHistogram();
    void plotSeries();
    void addBand(const StepCurves::Curve& curve, double from, double to, double unit, const QColor& color);
    void addCurve(const StepCurves::Curve& curve, double unit, const QColor& color);
    void addAxes(double from, double to, double most, const QString& along, const QString& value);
    void style(QAbstractAxis* axis) const;

    const Theme* m_theme = &lightTheme();
    std::shared_ptr<const Table> m_table;
    TableChart m_chart;
    size_t m_named = 0; // the row whose histogram is shown
    std::vector<int> m_rows;
};

} // namespace lockstep
