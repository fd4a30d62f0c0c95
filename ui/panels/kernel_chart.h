// SPDX-License-Identifier: Apache-2.0
// KernelChart shows the kernels with the most total time as horizontal bars or, for a table that is split by
// rank, compute and communication time per group. Clicking a bar emits the matching table row. UI thread.
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

    // Charts a cuda_gpu_kern_sum table; nullptr clears the chart.
    void setTable(std::shared_ptr<const Table> table, const QString& title);
    // Replaces the title of the chart, without its unit.
    void setTitle(const QString& title);
    void setTheme(const Theme& theme);

  signals:
    void rowClicked(int tableRow);

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    // Bars are stored from bottom to top.
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
    QString m_title; // title without the unit
    QHorizontalStackedBarSeries* m_series = nullptr;
    QBarCategoryAxis* m_names = nullptr;
    QValueAxis* m_time = nullptr;
};

} // namespace lockstep
