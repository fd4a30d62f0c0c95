// SPDX-License-Identifier: Apache-2.0
// HistogramView shows a histogram of durations, with lines at durations of interest, such as the median. The
// user chooses bars by mouse or by keys. UI thread.
#pragma once

#include <optional>

#include <QWidget>

#include "core/analysis/duration_histogram.h"
#include "ui/style/theme.h"

namespace lockstep {

class HistogramView : public QWidget {
    Q_OBJECT

  public:
    enum class Choice { oneBar, range };
    struct Line {
        double duration_ns = 0;
        QString name;
    };

    explicit HistogramView(Choice choice, QWidget* parent = nullptr);

    // `color` is the color of the bars. Clears the chosen bars.
    void setHistogram(HistogramBars histogram, const QColor& color, std::vector<Line> lines = {});
    const HistogramBars& histogram() const { return m_histogram; }
    void setTheme(const Theme& theme);
    QRect rectOfBar(const HistogramBars::Bar& bar) const;
    // Returns the lines that are drawn. A line is left out if its name would overlap an earlier name.
    std::vector<Line> drawnLines() const;

  signals:
    // Emitted with the ids of two bars when the mouse button is released or Return is pressed.
    void barsChosen(int first, int last);

  protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool event(QEvent* event) override;

  private:
    void layOut();
    int xOf(double duration_ns) const;
    size_t barAt(int x) const;
    QRect nameRect(const Line& line) const;
    QString textOf(size_t first, size_t last, bool hasAdvice) const;
    void choose(size_t from, size_t to);
    void emitChoice();

    const Choice m_choice;
    HistogramBars m_histogram;
    std::vector<Line> m_lines;
    QColor m_color;
    QRect m_plot; // rectangle that contains the bars
    const Theme* m_theme = &lightTheme();
    std::optional<std::pair<size_t, size_t>> m_chosen; // indices of the first and last chosen bar
    size_t m_from = 0, m_to = 0;                       // where the choice began and where it ended last
    bool m_isPressed = false;
};

} // namespace lockstep
