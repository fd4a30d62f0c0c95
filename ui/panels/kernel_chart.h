// SPDX-License-Identifier: Apache-2.0
// KernelChart: the kernels that take most time as horizontal bars, or compute and communication per group
// where the table is split by rank. Follows the theme; a click tells which row of the table was meant. UI
// thread.
#pragma once

#include <memory>
#include <vector>

#include <QChartView>

#include "core/analysis/table.h"
#include "ui/style/theme.h"

class QBarCategoryAxis;
class QHorizontalStackedBarSeries;
class QValueAxis;

namespace lockstep {

class KernelChart : public QChartView {
    Q_OBJECT

  public:
    explicit KernelChart(QWidget* parent = nullptr);

    // A table of cuda_gpu_kern_sum; nullptr empties the chart.
    void setTable(std::shared_ptr<const Table> table, const QString& title);
    void setTheme(const Theme& theme);

  signals:
    void rowClicked(int tableRow);

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    // One bar, kept from below upwards.
    struct Bar {
        QString label;
        double compute_ns = 0;
        double communication_ns = 0;
        int tableRow = 0;
    };

    std::vector<Bar> barsOf(const Table& table, size_t mostBars) const;
    size_t barsThatFit() const;
    void plot();
    void colour();

    const Theme* m_theme = &lightTheme();
    std::shared_ptr<const Table> m_table;
    std::vector<Bar> m_bars;
    QString m_title; // without the unit
    QHorizontalStackedBarSeries* m_series = nullptr;
    QBarCategoryAxis* m_names = nullptr;
    QValueAxis* m_time = nullptr;
};

} // namespace lockstep
