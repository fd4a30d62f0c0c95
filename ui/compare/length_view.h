// SPDX-License-Identifier: Apache-2.0
// LengthView shows the step lengths of A and B as a waterfall chart: how much more or less time each item of
// the critical path took in B than in A. UI thread.
#pragma once

#include <functional>
#include <optional>

#include <QWidget>

#include "core/analysis/what_changed.h"
#include "ui/style/theme.h"

namespace lockstep {

class LengthView : public QWidget {
    Q_OBJECT

  public:
    static constexpr size_t kParts = 7;

    explicit LengthView(QWidget* parent = nullptr);

    // a, b: names of the sides. If `change` is nullopt, `hint` is shown instead of the chart.
    void setChange(const std::optional<LengthChange>& change, const QString& a, const QString& b,
                   const QString& hint);
    const std::optional<LengthChange>& change() const { return m_change; }
    void setTheme(const Theme& theme);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

  protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

  private:
    struct Line {
        QString label;
        int64_t from_ns = 0, to_ns = 0;
        bool isEnd = false;
        QString tip;
    };
    std::vector<Line> lines() const;
    void paintLine(QPainter& painter, const Line& row, const QRect& at, int labels, int value,
                   const std::function<int(int64_t)>& x) const;
    int rowHeight() const;
    int firstRow() const;

    std::optional<LengthChange> m_change;
    QString m_a, m_b, m_hint;
    const Theme* m_theme = &lightTheme();
};

} // namespace lockstep
