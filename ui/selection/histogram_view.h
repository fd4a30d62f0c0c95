// SPDX-License-Identifier: Apache-2.0
// HistogramView shows the durations of a selection as bars on a logarithmic time scale, with lines at the
// median and the 95th percentile. The user chooses bars by dragging or by keys; the owner of the view selects
// their slices. UI thread.
#pragma once

#include <optional>

#include <QWidget>

#include "core/analysis/duration_histogram.h"
#include "ui/style/theme.h"

namespace lockstep {

class HistogramView : public QWidget {
    Q_OBJECT

  public:
    explicit HistogramView(QWidget* parent = nullptr);

    // `color` is the color of the bars. Clears the chosen bars.
    void setHistogram(DurationHistogram histogram, const QColor& color);
    const DurationHistogram& histogram() const { return m_histogram; }
    void setTheme(const Theme& theme);
    // Returns the indices of the first and last chosen bars in the histogram.
    std::optional<std::pair<int, int>> chosenBars() const { return m_chosen; }
    QRect rectOfBar(int bar) const;
    // Returns true if the p95 line is drawn. It is left out if its name would overlap the name of the median;
    // the line of text above the chart shows both values.
    bool showsP95() const;

  signals:
    void barsChosen(int first, int last); // emitted when the mouse button is released or Return is pressed

  protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool event(QEvent* event) override;

  private:
    QRect plotArea() const;
    int barAt(int x) const;
    double xOf(int64_t duration_ns) const;
    QRect nameRect(int64_t duration_ns, const QString& name) const;
    void choose(int from, int to);
    void paintScale(QPainter& painter) const;
    void paintLine(QPainter& painter, int64_t duration_ns, const QString& name) const;

    DurationHistogram m_histogram;
    QColor m_color;
    const Theme* m_theme = &lightTheme();
    std::optional<std::pair<int, int>> m_chosen;
    std::optional<int> m_pressed; // bar under the mouse press
};

} // namespace lockstep
