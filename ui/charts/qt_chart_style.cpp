// SPDX-License-Identifier: Apache-2.0
#include "ui/charts/qt_chart_style.h"

#include <QAbstractAxis>
#include <QChartView>
#include <QGraphicsLayout>
#include <QLegend>
#include <QValueAxis>

#include "core/analysis/chart_axis.h"
#include "ui/charts/chart_painter.h"
#include "ui/style/style_sheet.h"
#include "ui/style/theme.h"

namespace lockstep {

void setUpChart(QChartView& view)
{
    view.setFrameShape(QFrame::NoFrame);
    view.setRenderHint(QPainter::Antialiasing);
    QChart& chart = *view.chart();
    chart.layout()->setContentsMargins(0, 0, 0, 0);
    chart.setMargins(QMargins(scaledPixels(8), scaledPixels(4), scaledPixels(12), scaledPixels(4)));
    chart.setBackgroundRoundness(0);
    chart.legend()->setAlignment(Qt::AlignBottom);
    chart.legend()->setMarkerShape(QLegend::MarkerShapeRectangle);
}

void setChartTheme(QChartView& view, const Theme& theme)
{
    QChart& chart = *view.chart();
    view.setBackgroundBrush(theme.window);
    chart.setBackgroundBrush(theme.window);
    chart.setTitleBrush(theme.text);
    chart.setTitleFont(chartTitleFont());
    chart.legend()->setLabelColor(theme.mutedText);
    chart.legend()->setFont(chartLabelFont());
    for (QAbstractAxis* const axis : chart.axes()) {
        axis->setLabelsColor(theme.mutedText);
        axis->setLabelsFont(chartLabelFont());
        axis->setTitleFont(chartLabelFont());
        axis->setTitleBrush(theme.mutedText);
        axis->setLinePen(QPen(theme.line));
        axis->setGridLinePen(QPen(theme.line));
    }
}

void setAxisRange(QValueAxis& shown, const ChartAxis& axis, size_t count, const QString& suffix)
{
    // A tick interval that was set for a shorter range would make Qt Charts create a huge number of ticks.
    shown.setTickType(QValueAxis::TicksFixed);
    shown.setRange(axis.from / axis.unit.size, axis.to / axis.unit.size);
    const std::vector<AxisTick> ticks = axis.ticks(count);
    if (ticks.empty()) return;
    const double interval = ticks.size() > 1 ? ticks[1].value - ticks[0].value : axis.to - axis.from;
    shown.setTickAnchor(ticks[0].value / axis.unit.size);
    shown.setTickInterval(interval / axis.unit.size);
    shown.setTickType(QValueAxis::TicksDynamic);
    const size_t point = ticks[0].text.find('.');
    const size_t decimals = point == std::string::npos ? 0 : ticks[0].text.size() - point - 1;
    shown.setLabelFormat(QString("%.%1f").arg(decimals) + suffix);
}

} // namespace lockstep
