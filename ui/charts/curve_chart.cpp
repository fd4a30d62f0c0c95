// SPDX-License-Identifier: Apache-2.0
#include "ui/charts/curve_chart.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <QAreaSeries>
#include <QGraphicsLayout>
#include <QLegend>
#include <QLegendMarker>
#include <QLineSeries>
#include <QScatterSeries>
#include <QToolTip>
#include <QValueAxis>

#include "core/export/svg_chart.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

constexpr size_t kMaxCurves = 6;
constexpr std::array kCurveKinds{SliceCategory::compute,      SliceCategory::communication,
                                 SliceCategory::copyToDevice, SliceCategory::synchronization,
                                 SliceCategory::copyToHost,   SliceCategory::python};

struct CurveUnit {
    QString name;
    double size = 1;
};

// Returns the unit that keeps times short. Numbers that are not times keep the unit of their column.
CurveUnit curveUnit(const TableColumn& column, double largest)
{
    if (column.type != ColumnType::time) return {QString::fromStdString(column.unit), 1};
    if (largest >= 1e9) return {"s", 1e9};
    if (largest >= 1e6) return {"ms", 1e6};
    if (largest >= 1e3) return {"\u00B5s", 1e3};
    return {"ns", 1};
}

QString withUnit(const QString& name, const QString& unit)
{
    return unit.isEmpty() ? name : name + " (" + unit + ")";
}

} // namespace

CurveChart::CurveChart(QWidget* parent) : QChartView(parent)
{
    setFrameShape(NoFrame);
    setRenderHint(QPainter::Antialiasing);
    setAccessibleName(tr("Chart of the table"));
    chart()->layout()->setContentsMargins(0, 0, 0, 0);
    chart()->setMargins(QMargins(scaledPixels(8), scaledPixels(4), scaledPixels(12), scaledPixels(4)));
    chart()->setBackgroundRoundness(0);
    chart()->legend()->setAlignment(Qt::AlignBottom);
    chart()->legend()->setMarkerShape(QLegend::MarkerShapeRectangle);
}

void CurveChart::setChart(std::shared_ptr<const Table> table, const TableChart& chart)
{
    m_table = std::move(table);
    m_chart = chart;
    m_named = 0;
    plot();
}

void CurveChart::setCurrentRow(int tableRow)
{
    if (!m_table || m_chart.kind != ChartKind::histogram || tableRow < 0) return;
    const auto row = static_cast<size_t>(tableRow);
    const bool isOther = chartLabel(*m_table, m_chart, row) != chartLabel(*m_table, m_chart, m_named);
    m_named = row;
    if (isOther) plot();
}

void CurveChart::setTheme(const Theme& theme)
{
    m_theme = &theme;
    setBackgroundBrush(m_theme->window);
    plot();
}

void CurveChart::plot()
{
    chart()->removeAllSeries();
    for (QAbstractAxis* const axis : chart()->axes()) {
        chart()->removeAxis(axis);
        axis->deleteLater();
    }
    m_rows.clear();
    QFont title = smallFont(scaledPixels(100) / 100.0);
    title.setWeight(QFont::DemiBold);
    chart()->setBackgroundBrush(m_theme->window);
    chart()->setTitleBrush(m_theme->text);
    chart()->setTitleFont(title);
    chart()->legend()->setLabelColor(m_theme->mutedText);
    chart()->legend()->setFont(smallFont(scaledPixels(100) / 100.0 * 0.93));
    chart()->setTitle({});
    if (!m_table) return;
    if (m_chart.kind == ChartKind::histogram) {
        plotHistogram();
    } else {
        plotSeries();
    }
}

// Draws bars as area series, because the bars differ in width and are not evenly spaced.
void CurveChart::plotHistogram()
{
    const std::string name = chartLabel(*m_table, m_chart, m_named);
    const size_t count = m_chart.values[0];
    double from = 0, to = 0, most = 0;
    for (size_t row = 0; row < m_table->rowCount(); ++row) {
        if (chartLabel(*m_table, m_chart, row) != name || !m_table->hasNumber(count, row)) continue;
        from = m_rows.empty() ? m_table->value(m_chart.along, row)
                              : std::min(from, m_table->value(m_chart.along, row));
        to = std::max(to, m_table->value(*m_chart.until, row));
        most = std::max(most, m_table->value(count, row));
        m_rows.push_back(static_cast<int>(row));
    }
    const CurveUnit unit = curveUnit(m_table->column(m_chart.along), to);
    for (const int each : m_rows) {
        const auto row = static_cast<size_t>(each);
        const double left = m_table->value(m_chart.along, row) / unit.size;
        const double right = m_table->value(*m_chart.until, row) / unit.size;
        const double value = m_table->value(count, row);
        auto* const upper = new QLineSeries(this);
        auto* const lower = new QLineSeries(this);
        upper->append({{left, value}, {right, value}});
        lower->append({{left, 0}, {right, 0}});
        auto* const bar = new QAreaSeries(upper, lower);
        upper->setParent(bar);
        lower->setParent(bar);
        bar->setColor(m_theme->category(SliceCategory::compute));
        bar->setBorderColor(m_theme->window);
        chart()->addSeries(bar);
        connect(bar, &QAreaSeries::clicked, this, [this, each] { emit rowClicked(each); });
        connect(bar, &QAreaSeries::hovered, this, [this, row, count](const QPointF&, bool isOver) {
            if (!isOver) return QToolTip::hideText();
            QToolTip::showText(QCursor::pos(),
                               tr("%1 to %2: %3")
                                   .arg(QString::fromStdString(shownCell(*m_table, m_chart.along, row)),
                                        QString::fromStdString(shownCell(*m_table, *m_chart.until, row)),
                                        QString::fromStdString(shownCell(*m_table, count, row))),
                               this);
        });
    }
    chart()->legend()->hide();
    chart()->setTitle(QString::fromStdString(shortenedText(name, 48)).toHtmlEscaped());
    addAxes(from / unit.size, to / unit.size, most, withUnit(tr("duration"), unit.name),
            QString::fromStdString(m_table->column(count).name));
}

void CurveChart::plotSeries()
{
    const StepCurves curves = stepCurvesOf(*m_table, m_chart);
    double from = 0, to = 0, most = 0;
    bool isFirst = true;
    for (const StepCurves::Curve& curve : curves.curves) {
        for (const StepCurves::Point& point : curve.points) {
            from = isFirst ? point.step : std::min(from, point.step);
            to = isFirst ? point.step : std::max(to, point.step);
            isFirst = false;
            most = std::max(most, point.value);
        }
        if (curve.interval) most = std::max(most, curve.interval->high);
    }
    const CurveUnit unit = curveUnit(m_table->column(m_chart.values[0]), most);
    if (from == to) from -= 0.5, to += 0.5;
    const size_t shown = std::min(kMaxCurves, curves.curves.size());
    for (size_t i = 0; i < shown; ++i) {
        const QColor color = m_theme->category(kCurveKinds[i]);
        addBand(curves.curves[i], from, to, unit.size, color);
        addCurve(curves.curves[i], unit.size, color);
    }
    QString name = QString::fromStdString(columnLabel(*m_table, m_chart.values[0]));
    if (shown < curves.curves.size())
        name = tr("%1 (first %2 of %3)").arg(name).arg(shown).arg(curves.curves.size());
    if (curves.rowsWithoutStep > 0)
        name = tr("%1; rows without a step: %2").arg(name).arg(curves.rowsWithoutStep);
    chart()->setTitle(name);
    chart()->legend()->setVisible(true);
    addAxes(from, to, most / unit.size, tr("step"),
            withUnit(QString::fromStdString(columnLabel(*m_table, m_chart.values[0])), unit.name));
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
    m_rows.insert(m_rows.end(), rows.begin(), rows.end());
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

void CurveChart::addAxes(double from, double to, double most, const QString& along, const QString& value)
{
    auto* const bottom = new QValueAxis(this);
    auto* const left = new QValueAxis(this);
    bottom->setRange(from, to);
    bottom->setTitleText(along);
    bottom->setTickCount(4);
    left->setRange(0, most > 0 ? most : 1);
    left->applyNiceNumbers();
    left->setTitleText(value);
    const auto decimals = [](double span) {
        return std::clamp(1 - static_cast<int>(std::floor(std::log10(std::max(span, 1e-9)))), 0, 6);
    };
    bottom->setLabelFormat(QString("%.%1f").arg(decimals(to - from)));
    left->setLabelFormat(QString("%.%1f").arg(decimals(left->max())));
    chart()->addAxis(bottom, Qt::AlignBottom);
    chart()->addAxis(left, Qt::AlignLeft);
    style(bottom);
    style(left);
    for (QAbstractSeries* const series : chart()->series()) {
        series->attachAxis(bottom);
        series->attachAxis(left);
    }
}

void CurveChart::style(QAbstractAxis* axis) const
{
    const QFont small = smallFont(scaledPixels(100) / 100.0 * 0.93);
    axis->setLabelsColor(m_theme->mutedText);
    axis->setLabelsFont(small);
    axis->setTitleFont(small);
    axis->setTitleBrush(m_theme->mutedText);
    axis->setLinePen(QPen(m_theme->line));
    axis->setGridLinePen(QPen(m_theme->line));
}

} // namespace lockstep
