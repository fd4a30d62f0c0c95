// SPDX-License-Identifier: Apache-2.0
// ResidualChart: how far the ends of one clock's collectives lie from where all ended, over time: the proof
// behind an alignment. Shows the guaranteed interval and the likely error as bands, and moments at which the
// clock was stepped as lines. Follows the theme; a click tells the time. UI thread.
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

    // map: of the report the series is of. An empty series empties the chart and shows `hint`.
    void setResiduals(const ResidualSeries& series, const ClockMap& map, const QString& hint);
    void setTheme(const Theme& theme);
    // What a screen reader and the tests are told: "n=240, -12.3 µs to 4.1 µs".
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
