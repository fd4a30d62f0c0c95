// SPDX-License-Identifier: Apache-2.0
// ResidualChart plots the residuals of one clock over time, as evidence for an alignment: the end times of
// collectives on this clock minus the common end times. Bands show the guaranteed bounds and the likely
// error; lines show clock steps. Clicking a point emits the time of the point. UI thread.
#pragma once

#include <QChartView>

#include "core/align/alignment_report.h"
#include "ui/style/theme.h"

class QAreaSeries;
class QLineSeries;
class QScatterSeries;
class QValueAxis;

namespace lockstep {

class ResidualChart : public QChartView {
    Q_OBJECT

  public:
    explicit ResidualChart(QWidget* parent = nullptr);

    // Shows a series. map: the clock map of the report. For an empty series, the chart is cleared and `hint`
    // is shown.
    void setResiduals(const ResidualSeries& series, const ClockMap& map, const QString& hint);
    void setTheme(const Theme& theme);
    // Returns a summary of the chart for screen readers and tests, e.g. "n=240, -12.3 µs to 4.1 µs".
    QString summary() const { return m_summary; }
    size_t stepCount() const { return m_stepLines.size(); }

  signals:
    void timeClicked(TraceTime aligned);

  private:
    struct Band {
        QLineSeries* lower;
        QLineSeries* upper;
        QAreaSeries* area;
    };

    Band makeBand(const QString& name);
    void setBand(Band& band, std::optional<std::pair<double, double>> range, double from, double to);
    void plotPoints(const ResidualSeries& series);
    void plotSteps(const ClockMap& map);
    void fitAxes(const ResidualSeries& series, const ClockMap& map);
    void colour();

    const Theme* m_theme = &lightTheme();
    QScatterSeries* m_points;
    Band m_guaranteed;
    Band m_likely;
    std::vector<QLineSeries*> m_stepLines;
    QValueAxis* m_time;
    QValueAxis* m_residual;
    double m_unit_ns = 1e3;
    QString m_summary;
};

} // namespace lockstep
