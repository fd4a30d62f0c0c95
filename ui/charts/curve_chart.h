// SPDX-License-Identifier: Apache-2.0
// CurveChart draws a value per step with the mean and the 95 % confidence interval of the mean. A click on a
// point emits the matching table row. UI thread.
#pragma once

#include <memory>

#include <QChartView>

#include "core/analysis/chart_axis.h"
#include "core/analysis/table_chart.h"
#include "ui/style/theme.h"

namespace lockstep {

class CurveChart : public QChartView {
    Q_OBJECT

  public:
    explicit CurveChart(QWidget* parent = nullptr);

    // Sets the table and its chart, whose kind is series. nullptr clears the chart.
    void setChart(std::shared_ptr<const Table> table, const TableChart& chart);
    void setTheme(const Theme& theme);

  signals:
    void rowClicked(int tableRow);

  private:
    void plot();
    void plotSeries();
    void addBand(const StepCurves::Curve& curve, double from, double to, double unit, const QColor& color);
    void addCurve(const StepCurves::Curve& curve, double unit, const QColor& color);
    void addAxes(const ChartAxis& across, const ChartAxis& up, const QString& value);

    const Theme* m_theme = &lightTheme();
    std::shared_ptr<const Table> m_table;
    TableChart m_chart;
};

} // namespace lockstep
