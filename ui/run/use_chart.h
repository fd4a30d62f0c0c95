// SPDX-License-Identifier: Apache-2.0
// UseChart: stacked area charts of the last minutes, e.g. the GPU utilization of each host. The name and the
// last value are on the left, the samples on the right; all rows share one time scale. UI thread.
#pragma once

#include <vector>

#include <QString>
#include <QWidget>

#include "ui/run/host_samples.h"
#include "ui/style/theme.h"

namespace lockstep {

struct UseRow {
    enum class Unit : uint8_t { percent, bytes, bytesPerSecond };
    QString name;
    Unit unit = Unit::percent;
    double full = 100;               // value at the top of the row; 0 for the largest sample
    std::vector<UsagePoint> samples; // oldest first
};

class UseChart : public QWidget {
    Q_OBJECT

  public:
    explicit UseChart(QWidget* parent = nullptr);

    // Sets the rows. Each row ends at its own last sample, because host clocks differ.
    void setRows(std::vector<UseRow> rows);
    void setTheme(const Theme& theme);
    const std::vector<UseRow>& rows() const { return m_rows; }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

  protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

  private:
    int rowHeight() const;
    QRectF plot(size_t row) const;
    void paintRow(QPainter& painter, size_t index) const;

    std::vector<UseRow> m_rows;
    const Theme* m_theme = &lightTheme();
};

// Returns e.g. "87 %", "61.2 GiB", "3.4 MiB/s".
QString useText(double value, UseRow::Unit unit);

} // namespace lockstep
