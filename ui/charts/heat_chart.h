// SPDX-License-Identifier: Apache-2.0
// HeatChart shows values by row (rank, device) and column (time, step) as colors, with a color scale below.
// If several cells share a pixel, the largest value is shown. Cells without a value in the table are hatched.
// A click emits the matching table row. UI thread.
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

    // Sets the table and its chart, whose kind is heatMap. nullptr clears the chart.
    void setChart(std::shared_ptr<const Table> table, const TableChart& chart);
    void setTheme(const Theme& theme);
    const HeatGrid& grid() const { return m_grid; }
    // Returns the rectangle that contains the cells.
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
    // Returns the cell at a position, or nullptr.
    const HeatGrid::Cell* cellAt(QPoint place) const;

    const Theme* m_theme = &lightTheme();
    std::shared_ptr<const Table> m_table;
    TableChart m_chart;
    HeatGrid m_grid;
    QImage m_cells; // cells, rendered at the size of the plot
};

} // namespace lockstep
