// SPDX-License-Identifier: Apache-2.0
#include "ui/panels/residual_chart.h"

#include <algorithm>
#include <cmath>

#include <QAreaSeries>
#include <QLegend>
#include <QLegendMarker>
#include <QLineSeries>
#include <QScatterSeries>
#include <QToolTip>
#include <QValueAxis>

#include "core/analysis/chart_axis.h"
#include "core/base/text.h"
#include "ui/charts/chart_painter.h"
#include "ui/charts/qt_chart_style.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

double secondsOf(TraceTime time)
{
    return static_cast<double>(time.ns) * 1e-9;
}

QString signedDuration(int64_t ns)
{
    return (ns < 0 ? "\u2212" : "") + QString::fromStdString(durationText({std::abs(ns)}));
}

} // namespace

ResidualChart::ResidualChart(QWidget* parent)
    : QChartView(parent), m_points(new QScatterSeries), m_guaranteed(makeBand(tr("guaranteed bounds"))),
      m_likely(makeBand(tr("likely error"))), m_time(new QValueAxis), m_residual(new QValueAxis)
{
    setUpChart(*this);
    setAccessibleName(tr("Residuals of the selected clock"));
    setMinimumWidth(scaledPixels(260));
    m_points->setName(tr("collective ends"));
    m_points->setMarkerSize(scaledPixels(4));
    for (QAbstractSeries* series :
         {static_cast<QAbstractSeries*>(m_guaranteed.area), static_cast<QAbstractSeries*>(m_likely.area),
          static_cast<QAbstractSeries*>(m_points)}) {
        chart()->addSeries(series);
    }
    chart()->addAxis(m_time, Qt::AlignBottom);
    chart()->addAxis(m_residual, Qt::AlignLeft);
    for (QAbstractSeries* series : chart()->series()) {
        series->attachAxis(m_time);
        series->attachAxis(m_residual);
    }
    connect(m_points, &QScatterSeries::clicked, this,
            [this](const QPointF& point) { emit timeClicked({std::llround(point.x() * 1e9)}); });
    connect(m_points, &QScatterSeries::hovered, this, [this](const QPointF& point, bool isOver) {
        if (!isOver) return QToolTip::hideText();
        const QString time = QString::fromStdString(durationText({std::llround(point.x() * 1e9)}, 6));
        QToolTip::showText(QCursor::pos(),
                           tr("at %1: %2").arg(time, signedDuration(std::llround(point.y() * m_unit_ns))),
                           this);
    });
    setTheme(lightTheme());
}

ResidualChart::Band ResidualChart::makeBand(const QString& name)
{
    auto* const lower = new QLineSeries(this);
    auto* const upper = new QLineSeries(this);
    auto* const area = new QAreaSeries(upper, lower);
    area->setName(name);
    return {lower, upper, area};
}

void ResidualChart::setBand(Band& band, std::optional<std::pair<double, double>> range, double from,
                            double to)
{
    band.lower->clear();
    band.upper->clear();
    band.area->setVisible(range.has_value());
    if (!range) return;
    for (const double x : {from, to}) {
        band.lower->append(x, range->first / m_unit_ns);
        band.upper->append(x, range->second / m_unit_ns);
    }
}

void ResidualChart::setResiduals(const ResidualSeries& series, const ClockMap& map, const QString& hint)
{
    const bool isEmpty = series.points.empty();
    fitAxes(series, map);
    plotPoints(series);
    plotSteps(isEmpty ? ClockMap() : map);
    const double from = m_time->min(), to = m_time->max();
    std::optional<std::pair<double, double>> guaranteed, likely;
    if (map.guaranteed && !isEmpty) {
        guaranteed = {static_cast<double>(map.guaranteed->earliest_ns),
                      static_cast<double>(map.guaranteed->latest_ns)};
    }
    if (map.error_ns && !isEmpty)
        likely = {-static_cast<double>(*map.error_ns), static_cast<double>(*map.error_ns)};
    setBand(m_guaranteed, guaranteed, from, to);
    setBand(m_likely, likely, from, to);
    chart()->setTitle(isEmpty ? hint : QString());
    chart()->legend()->setVisible(!isEmpty);
    m_time->setVisible(!isEmpty);
    m_residual->setVisible(!isEmpty);
    colour();
}

void ResidualChart::fitAxes(const ResidualSeries& series, const ClockMap& map)
{
    double most_ns = map.error_ns ? static_cast<double>(*map.error_ns) : 1e3;
    for (const ResidualPoint& point : series.points)
        most_ns = std::max(most_ns, std::abs(static_cast<double>(point.residual_ns)));
    const ChartAxis late{-most_ns * 1.1, most_ns * 1.1, timeUnitOf(most_ns)};
    m_unit_ns = late.unit.size;
    setAxisRange(*m_residual, late, 4, {});
    m_residual->setTitleText(tr("Late by (%1)").arg(QString::fromStdString(late.unit.name)));
    if (series.points.empty()) return;
    const double from = secondsOf(series.points.front().time), to = secondsOf(series.points.back().time);
    const double margin = std::max(1e-6, (to - from) * 0.02);
    setAxisRange(*m_time, {from - margin, to + margin}, 4, " s");
}

void ResidualChart::plotPoints(const ResidualSeries& series)
{
    QList<QPointF> points;
    int64_t least = 0, most = 0;
    for (const ResidualPoint& point : series.points) {
        points.append({secondsOf(point.time), static_cast<double>(point.residual_ns) / m_unit_ns});
        least = std::min(least, point.residual_ns);
        most = std::max(most, point.residual_ns);
    }
    m_points->replace(points);
    m_summary =
        points.isEmpty()
            ? QString()
            : tr("n=%1, %2 to %3").arg(points.size()).arg(signedDuration(least), signedDuration(most));
    setAccessibleDescription(m_summary);
}

void ResidualChart::plotSteps(const ClockMap& map)
{
    for (QLineSeries* line : m_stepLines) {
        chart()->removeSeries(line);
        delete line;
    }
    m_stepLines.clear();
    for (const ClockStep& step : map.steps) {
        auto* const line = new QLineSeries;
        const double at = secondsOf(map.alignedFromTrace(step.at));
        line->append(at, m_residual->min());
        line->append(at, m_residual->max());
        chart()->addSeries(line);
        line->attachAxis(m_time);
        line->attachAxis(m_residual);
        line->setName(tr("clock stepped by %1").arg(signedDuration(step.jump_ns)));
        m_stepLines.push_back(line);
    }
}

void ResidualChart::setTheme(const Theme& theme)
{
    m_theme = &theme;
    colour();
}

void ResidualChart::colour()
{
    setChartTheme(*this, *m_theme);
    chart()->setTitleBrush(m_theme->mutedText); // the title is a hint
    chart()->setTitleFont(chartFont());
    m_points->setColor(m_theme->category(SliceCategory::communication));
    m_points->setBorderColor(Qt::transparent);
    m_guaranteed.area->setBrush(mixed(m_theme->window, m_theme->accent, 0.14));
    m_guaranteed.area->setPen(QPen(mixed(m_theme->window, m_theme->accent, 0.4)));
    m_likely.area->setBrush(mixed(m_theme->window, m_theme->accent, 0.3));
    m_likely.area->setPen(Qt::NoPen);
    for (QLineSeries* line : m_stepLines)
        line->setPen(QPen(m_theme->warn, 1, Qt::DashLine));
}

} // namespace lockstep
