// SPDX-License-Identifier: Apache-2.0
// RowChart draws a bar next to each row of a table view, aligned with the row. The view's order and filters
// also apply to the bars. A bar shows one value (with its 95 % confidence interval if the table has one) or
// parts that add up to 100 %. Only visible rows are drawn. UI thread.
#pragma once

#include <memory>

#include <QWidget>

#include "core/analysis/table_chart.h"
#include "ui/style/theme.h"

namespace lockstep {

class TableView;

class RowChart : public QWidget {
    Q_OBJECT

  public:
    // `view` shows the charted table and must outlive the chart.
    explicit RowChart(TableView& view, QWidget* parent = nullptr);

    // Sets the table and its chart, whose kind is bars or stacked. nullptr clears the chart.
    void setChart(std::shared_ptr<const Table> table, const TableChart& chart);
    void setTheme(const Theme& theme);
    // Returns the number of rows drawn by the last paint, for tests.
    int drawnRows() const { return m_drawnRows; }
    // Returns the rectangle of the bar at this row position on screen, without the label; empty if there is
    // no such row.
    QRect barOf(int shownRow) const;

  signals:
    void rowClicked(int tableRow);

  protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    bool event(QEvent* event) override;

  private:
    int top() const; // top of the rows, below the table header
    QRect rowRect(int shownRow) const;
    void paintHead(QPainter& painter) const;
    void paintRow(QPainter& painter, int shownRow) const;
    void paintValue(QPainter& painter, const QRect& bars, size_t row) const;
    void paintParts(QPainter& painter, const QRect& bars, size_t row) const;
    QColor partColor(size_t part) const;
    QString toolTipOf(int shownRow) const;

    TableView& m_view;
    const Theme* m_theme = &lightTheme();
    std::shared_ptr<const Table> m_table;
    TableChart m_chart;
    double m_largest = 0;
    int m_drawnRows = 0;
};

} // namespace lockstep
