// SPDX-License-Identifier: Apache-2.0
// KernelChart shows the kernels with the most total time as horizontal bars or, for a table that is split by
// rank, compute and communication time per group. Clicking a bar emits the matching table row. UI thread.
#pragma once

#include <vector>

#include <QWidget>

#include "core/analysis/scope.h"
#include "core/analysis/table.h"
#include "ui/style/theme.h"

namespace lockstep {

class KernelChart : public QWidget {
    Q_OBJECT

  public:
    explicit KernelChart(QWidget* parent = nullptr);

    // Charts a cuda_gpu_kern_sum table, grouped by `by`; nullptr clears the chart.
    void setTable(const Table* table, GroupBy by, const QString& title);
    void setTitle(const QString& title);
    const QString& title() const { return m_title; }
    void setTheme(const Theme& theme);
    // Returns the rectangle of the bar at this position from the top, with its label; empty if not drawn.
    QRect rowRect(size_t bar) const;

  signals:
    void rowClicked(int tableRow);

  protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    bool event(QEvent* event) override;

  private:
    struct Bar {
        QString label;
        double compute_ns = 0, communication_ns = 0;
        int tableRow = 0;
        double total_ns() const { return compute_ns + communication_ns; }
    };

    void fillBars(const Table& table, GroupBy by);
    QRect barArea() const;
    size_t shownBars() const;
    const Bar* barAt(QPoint position) const;
    void paintRows(QPainter& painter, const QColor& compute, const QColor& communication) const;

    const Theme* m_theme = &lightTheme();
    QString m_title;
    std::vector<Bar> m_bars;  // from top to bottom
    bool m_isGrouped = false; // a bar is a group of kernels
};

} // namespace lockstep
