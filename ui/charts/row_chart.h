// SPDX-License-Identifier: Apache-2.0
// RowChart: a bar beside each row of a table view, at the row's height and scrolled with it, in the order and
// by the filters of the view: of one value, with its 95 % interval where the table has one, or filled by
// parts to 100 %. Draws only the rows that are seen. UI thread.
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
    // view: shows the table that is charted; outlives the chart.
    explicit RowChart(TableView& view, QWidget* parent = nullptr);

    // chart: of kind bars or stacked. nullptr empties the chart.
    void setChart(std::shared_ptr<const Table> table, const TableChart& chart);
    void setTheme(const Theme& theme);
    // How many rows the last painting drew; for tests.
    int drawnRows() const { return m_drawnRows; }
    // Where the bar of a shown row is, without its label; empty where it is not seen.
    QRect barOf(int shownRow) const;

  signals:
    void rowClicked(int tableRow);

  protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    bool event(QEvent* event) override;

  private:
    int top() const; // of the rows: below the table's head
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
