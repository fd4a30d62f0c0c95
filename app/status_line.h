// StatusLine: what the bottom line of the window says: how the clocks were aligned and how well, the time
// under the cursor, the selection's length, sums of selected cells, and how many reports take how much
// memory. UI thread.
#pragma once

#include <optional>

#include <QStatusBar>

#include "core/scene/scene.h"
#include "ui/style/theme.h"

class QLabel;

namespace lockstep {

// "wall clock, no bound can be stated", "wall clock ±4.1 µs (2 of 8 not placed)": the basis of comparing
// times.
QString basisText(const Scene& scene);

class StatusLine : public QStatusBar {
    Q_OBJECT

  public:
    explicit StatusLine(QWidget* parent = nullptr);

    void setTheme(const Theme& theme);
    void setScene(const ScenePtr& scene);
    // Time on the aligned axis.
    void setHover(std::optional<TraceTime> time);
    // measure: its length and what it is good to; empty = the length alone.
    void setSelection(std::optional<TimeRange> range, const QString& measure = {});
    void setSummary(const QString& text);
    void setReports(size_t shown, size_t open, size_t loading, size_t resident_bytes);

  private:
    // "Basis **wall clock**" in the theme's colours.
    QString rich(const QString& name, const QString& value) const;
    void showAll();

    const Theme* m_theme = &lightTheme();
    QString m_basisText;
    std::optional<int64_t> m_utcAtZero_ns;
    std::optional<TraceTime> m_time;
    std::optional<TimeRange> m_range;
    QString m_measure;
    QLabel* m_basis;
    QLabel* m_hover;
    QLabel* m_selection;
    QLabel* m_summary;
    QLabel* m_reports;
};

} // namespace lockstep
