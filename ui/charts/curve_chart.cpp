// SPDX-License-Identifier: Apache-2.0
#include "ui/charts/curve_chart.h"

#include <algorithm>
#include <array>

#include <QAreaSeries>
#include <QLegend>
#include <QLegendMarker>
#include <QLineSeries>
#include <QScatterSeries>
#include <QToolTip>
#include <QValueAxis>

#include "core/export/svg_chart.h"
#include "ui/charts/qt_chart_style.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

constexpr size_t kMaxCurves = 6;
constexpr std::array kCurveKinds{SliceCategory::compute,      SliceCategory::communication,
                                 SliceCategory::copyToDevice, SliceCategory::synchronization,
                                 SliceCategory::copyToHost,   SliceCategory::python};

} // namespace

CurveChart::CurveChart(QWidget* parent) : QChartView(parent)
{
    setAccessibleName(tr("Chart of the table"));
    setUpChart(*this);
}

void CurveChart::setChart(std::shared_ptr<const Table> table, const TableChart& chart)
{
    m_table = std::move(table);
    m_chart = chart;
    plot();
}

void CurveChart::setTheme(const Theme& theme)
{
    m_theme = &theme;
    plot();
}

void CurveChart::plot()
{
    chart()->removeAllSeries();
    for (QAbstractAxis* const axis : chart()->axes()) {
        chart()->removeAxis(axis);
        axis->deleteLater();
    }
    chart()->setTitle({});
    if (m_table) plotSeries();
    setChartTheme(*this, *m_theme);
}

void CurveChart::plotSeries()
{
    const StepCurves curves = stepCurvesOf(*m_table, m_chart);
    double from = 0, to = 0, largest = 0;
    bool isFirst = true;
    for (const StepCurves::Curve& curve : curves.curves) {
        for (const StepCurves::Point& point : curve.points) {
            from = isFirst ? point.step : std::min(from, point.step);
            to = isFirst ? point.step : std::max(to, point.step);
            isFirst = false;
            largest = std::max(largest, point.value);
        }
        if (curve.interval) largest = std::max(largest, curve.interval->high);
    }
    const AxisUnit unit = axisUnitOf(m_table->column(m_chart.values[0]), largest);
    if (from == to) from -= 0.5, to += 0.5;
    const size_t shown = std::min(kMaxCurves, curves.curves.size());
    for (size_t i = 0; i < shown; ++i) {
        const QColor color = m_theme->category(kCurveKinds[i]);
        addBand(curves.curves[i], from, to, unit.size, color);
        addCurve(curves.curves[i], unit.size, color);
    }
    const QString value = QString::fromStdString(columnLabel(*m_table, m_chart.values[0]));
    QString name = value;
    if (shown < curves.curves.size())
        name = tr("%1 (first %2 of %3)").arg(name).arg(shown).arg(curves.curves.size());
    if (curves.rowsWithoutStep > 0)
        name = tr("%1; rows without a step: %2").arg(name).arg(curves.rowsWithoutStep);
    chart()->setTitle(name);
    chart()->legend()->setVisible(true);
    addAxes({from, to, {}, AxisScale::whole}, {0, largest > 0 ? largest * 1.05 : 1, unit}, value);
}

void CurveChart::addBand(const StepCurves::Curve& curve, double from, double to, double unit,
                         const QColor& color)
{
    if (!curve.interval) return;
    auto* const upper = new QLineSeries(this);
    auto* const lower = new QLineSeries(this);
    for (const double x : {from, to}) {
        upper->append(x, curve.interval->high / unit);
        lower->append(x, curve.interval->low / unit);
    }
    auto* const area = new QAreaSeries(upper, lower);
    upper->setParent(area);
    lower->setParent(area);
    area->setName(curve.name.empty() ? tr("mean, 95 % interval")
                                     : tr("%1: mean, 95 % interval").arg(QString::fromStdString(curve.name)));
    QColor faint = color;
    faint.setAlphaF(0.18F);
    area->setColor(faint);
    area->setBorderColor(Qt::transparent);
    chart()->addSeries(area);
}

// Points that are excluded from the mean are not connected by lines.
void CurveChart::addCurve(const StepCurves::Curve& curve, double unit, const QColor& color)
{
    auto* const line = new QLineSeries;
    auto* const points = new QScatterSeries;
    std::vector<int> rows;
    for (const StepCurves::Point& point : curve.points) {
        if (point.counts) line->append(point.step, point.value / unit);
        points->append(point.step, point.value / unit);
        rows.push_back(static_cast<int>(point.row));
    }
    line->setName(curve.name.empty() ? QString::fromStdString(columnLabel(*m_table, m_chart.values[0]))
                                     : QString::fromStdString(curve.name));
    line->setPen(QPen(color, scaledPixels(2)));
    points->setColor(color);
    points->setBorderColor(m_theme->window);
    points->setMarkerSize(scaledPixels(8));
    chart()->addSeries(line);
    chart()->addSeries(points);
    for (QLegendMarker* const marker : chart()->legend()->markers(points))
        marker->setVisible(false);
    connect(points, &QXYSeries::clicked, this, [this, points, rows](const QPointF& at) {
        const qsizetype place = points->points().indexOf(at);
        if (place >= 0) emit rowClicked(rows[static_cast<size_t>(place)]);
    });
    connect(points, &QXYSeries::hovered, this, [this, points, rows](const QPointF& at, bool isOver) {
        const qsizetype place = points->points().indexOf(at);
        if (!isOver || place < 0) return QToolTip::hideText();
        const auto row = static_cast<size_t>(rows[static_cast<size_t>(place)]);
        QToolTip::showText(QCursor::pos(),
                           tr("step %1: %2")
                               .arg(at.x())
                               .arg(QString::fromStdString(shownCell(*m_table, m_chart.values[0], row))),
                           this);
    });
}

void CurveChart::addAxes(const ChartAxis& across, const ChartAxis& up, const QString& value)
{
    auto* const bottom = new QValueAxis(this);
    auto* const left = new QValueAxis(this);
    setAxisRange(*bottom, across, 4, {});
    setAxisRange(*left, up, 5, {});
    bottom->setTitleText(tr("step"));
    left->setTitleText(up.unit.name.empty() ? value
                                            : value + " (" + QString::fromStdString(up.unit.name) + ")");
    chart()->addAxis(bottom, Qt::AlignBottom);
    chart()->addAxis(left, Qt::AlignLeft);
    for (QAbstractSeries* const series : chart()->series()) {
        series->attachAxis(bottom);
        series->attachAxis(left);
    }
}

} // namespace lockstep
