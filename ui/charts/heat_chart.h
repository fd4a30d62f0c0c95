// SPDX-License-Identifier: Apache-2.0
// HeatChart: values by line (rank, device) and moment (time, step) as colours, the scale beside it. Where
// several cells fall on a pixel the largest stands; a cell that the table does not have is hatched. A click
// tells the table's row. UI thread.
#pragma once

#include <memory>

#include <QImage>
#include <QWidget>

#include "core/analysis/table_chart.h"
#include "ui/style/theme.h"

namespace lockstep {

class HeatChart : public QWidget {
    Q_OBJECT

  public:
    explicit HeatChart(QWidget* parent = nullptr);

    // chart: of kind heatMap. nullptr empties the chart.
    void setChart(std::shared_ptr<const Table> table, const TableChart& chart);
    void setTheme(const Theme& theme);
    const HeatGrid& grid() const { return m_grid; }
    // Where the cells are drawn.
    QRect plot() const;

  signals:
    void rowClicked(int tableRow);

  protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    bool event(QEvent* event) override;

  private:
    QColor colorOf(double value) const;
    QString momentText(size_t moment) const;
    QImage drawnCells(QSize size) const;
    void paintLines(QPainter& painter) const;
    void paintMoments(QPainter& painter) const;
    void paintScale(QPainter& painter) const;
    // The cell under a place; nullptr outside and where there is none.
    const HeatGrid::Cell* cellAt(QPoint place) const;

    const Theme* m_theme = &lightTheme();
    std::shared_ptr<const Table> m_table;
    TableChart m_chart;
    HeatGrid m_grid;
    QImage m_cells; // of the plot's size
};

} // namespace lockstep
