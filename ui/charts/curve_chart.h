// SPDX-License-Identifier: Apache-2.0
// CurveChart draws charts that have their own axes: the histogram of durations for the name in one row, or a
// value per step with the mean and the 95 % confidence interval of the mean. A click emits the matching table
// row. UI thread.
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

    // Sets the table and its chart, whose kind is histogram or series. nullptr clears the chart.
    void setChart(std::shared_ptr<const Table> table, const TableChart& chart);
    // Selects the histogram for the name in this row; rows with other names are not drawn.
    void setCurrentRow(int tableRow);
    void setTheme(const Theme& theme);
    // Returns the table rows that are drawn, in axis order. For tests.
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
    size_t m_named = 0; // row with the name that the histogram shows
    std::vector<int> m_rows;
};

} // namespace lockstep
