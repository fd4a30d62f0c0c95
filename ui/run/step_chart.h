// SPDX-License-Identifier: Apache-2.0
// StepChart: the steps of a run as bars on one scale. Phases reported by the log have the colors of their
// roles; recorded steps are brighter than others. The chart shows as many of the newest steps as fit. UI
// thread.
#pragma once

#include <vector>

#include <QWidget>

#include "ui/run/step_progress.h"
#include "ui/style/theme.h"

namespace lockstep {

class StepChart : public QWidget {
    Q_OBJECT

  public:
    static constexpr size_t kMaxRows = 10;

    explicit StepChart(QWidget* parent = nullptr);

    // now_ns: current time (Unix epoch), used as the end of the running step.
    void setSteps(const std::vector<StepSpan>& steps, int64_t now_ns);
    void setTheme(const Theme& theme);
    const std::vector<StepSpan>& shown() const { return m_steps; }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

  protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

  private:
    void paintRow(QPainter& painter, const StepSpan& step, int top) const;
    double seconds(const StepSpan& step) const;
    int rowHeight() const;

    std::vector<StepSpan> m_steps;
    int64_t m_now_ns = 0;
    double m_longest_s = 0;
    const Theme* m_theme = &lightTheme();
};

} // namespace lockstep
