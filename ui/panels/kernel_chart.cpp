// SPDX-License-Identifier: Apache-2.0
#include "ui/panels/kernel_chart.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <QBarCategoryAxis>
#include <QBarSet>
#include <QGraphicsLayout>
#include <QHorizontalStackedBarSeries>
#include <QLegend>
#include <QToolTip>
#include <QValueAxis>

#include "core/base/text.h"
#include "core/timeline/elide.h"
#include "ui/style/style_sheet.h"
#include "ui/timeline/timeline_font.h"

namespace lockstep {

namespace {

constexpr size_t kMaxBars = 16;

struct ChartUnit {
    const char* name;
    double ns;
};

QFont labelFont()
{
    return smallFont(scaledPixels(100) / 100.0 * 0.93);
}

ChartUnit unitFor(double largest_ns)
{
    if (largest_ns >= 1e9) return {"s", 1e9};
    if (largest_ns >= 1e6) return {"ms", 1e6};
    if (largest_ns >= 1e3) return {"\u00B5s", 1e3};
    return {"ns", 1};
}

} // namespace

KernelChart::KernelChart(QWidget* parent)
    : QChartView(parent), m_series(new QHorizontalStackedBarSeries), m_names(new QBarCategoryAxis),
      m_time(new QValueAxis)
{
    setFrameShape(NoFrame);
    setRenderHint(QPainter::Antialiasing);
    setAccessibleName(tr("Top kernels by time"));
    setMinimumWidth(scaledPixels(300));
    m_series->setBarWidth(0.62);
    chart()->addSeries(m_series);
    chart()->addAxis(m_names, Qt::AlignLeft);
    chart()->addAxis(m_time, Qt::AlignBottom);
    m_series->attachAxis(m_names);
    m_series->attachAxis(m_time);
    chart()->layout()->setContentsMargins(0, 0, 0, 0);
    chart()->setMargins(QMargins(scaledPixels(8), scaledPixels(4), scaledPixels(12), scaledPixels(4)));
    chart()->setBackgroundRoundness(0);
    chart()->legend()->setAlignment(Qt::AlignBottom);
    chart()->legend()->setMarkerShape(QLegend::MarkerShapeRectangle);
    m_names->setTruncateLabels(false);
    m_time->setTickCount(4);
    m_names->setGridLineVisible(false);
    connect(m_series, &QAbstractBarSeries::clicked, this, [this](int bar) {
        if (bar >= 0 && static_cast<size_t>(bar) < m_bars.size())
            emit rowClicked(m_bars[static_cast<size_t>(bar)].tableRow);
    });
    connect(m_series, &QAbstractBarSeries::hovered, this, [this](bool isOver, int bar) {
        if (!isOver || bar < 0 || static_cast<size_t>(bar) >= m_bars.size()) return QToolTip::hideText();
        const Bar& hit = m_bars[static_cast<size_t>(bar)];
        const auto total = static_cast<int64_t>(hit.compute_ns + hit.communication_ns);
        QToolTip::showText(QCursor::pos(), hit.label + "\n" + QString::fromStdString(durationText({total})),
                           this);
    });
    setTheme(lightTheme());
}

void KernelChart::setTable(std::shared_ptr<const Table> table, const QString& title)
{
    m_table = std::move(table);
    m_title = title;
    plot();
}

void KernelChart::setTitle(const QString& title)
{
    m_title = title;
    plot();
}

size_t KernelChart::barsThatFit() const
{
    const int forBars = height() - scaledPixels(90); // the title, the axis and the legend need the rest
    return static_cast<size_t>(std::clamp(forBars / scaledPixels(17), 3, static_cast<int>(kMaxBars)));
}

void KernelChart::resizeEvent(QResizeEvent* event)
{
    QChartView::resizeEvent(event);
    if (m_table) plot();
}

std::vector<KernelChart::Bar> KernelChart::barsOf(const Table& table, size_t mostBars) const
{
    const size_t total = table.columnNamed("Total Time"), name = table.columnNamed("Name");
    if (total == table.columnCount() || name == table.columnCount()) return {};
    const bool isGrouped = name > 0 && table.column(0).name != "Time";
    std::map<std::string, size_t> barOfGroup;
    std::vector<Bar> bars;
    for (size_t row = 0; row < table.rowCount(); ++row) {
        const std::string label = table.cell(isGrouped ? 0 : name, row);
        const auto [at, isNew] = barOfGroup.try_emplace(label, bars.size());
        if (isNew) {
            if (!isGrouped && bars.size() == mostBars) break;
            const QString text = QString::fromStdString(label);
            const QString group = QString::fromStdString(table.column(0).name).toLower();
            bars.push_back({isGrouped ? group + " " + text : text, 0, 0, static_cast<int>(row)});
        }
        const double time_ns = table.value(total, row);
        const bool isTalk = kernelCategory(table.text(name, row)) == SliceCategory::communication;
        (isTalk ? bars[at->second].communication_ns : bars[at->second].compute_ns) += time_ns;
    }
    std::ranges::reverse(bars); // reversed, because the axis counts from the bottom
    return bars;
}

void KernelChart::plot()
{
    m_bars = m_table ? barsOf(*m_table, barsThatFit()) : std::vector<Bar>();
    m_series->clear();
    double largest = 0;
    for (const Bar& bar : m_bars)
        largest = std::max(largest, bar.compute_ns + bar.communication_ns);
    const ChartUnit unit = unitFor(largest);
    auto* const compute = new QBarSet(tr("compute"));
    auto* const communication = new QBarSet(tr("communication"));
    QStringList labels;
    const LabelFont metrics = labelFontOf(labelFont());
    for (const Bar& bar : m_bars) {
        compute->append(bar.compute_ns / unit.ns);
        communication->append(bar.communication_ns / unit.ns);
        QString label = QString::fromStdString(
            elideKernel(bar.label.toStdString(), static_cast<float>(width()) * 0.38f, metrics));
        while (labels.contains(label))
            // An invisible character makes equal labels distinct, because categories must differ.
            label += QChar(0x200B);
        labels << label;
    }
    m_series->append(compute);
    m_series->append(communication);
    m_names->clear();
    m_names->append(labels);
    m_time->setRange(0, largest > 0 ? largest / unit.ns : 1);
    m_time->applyNiceNumbers();
    const int decimals = std::max(0, 1 - static_cast<int>(std::floor(std::log10(m_time->max()))));
    m_time->setLabelFormat(
        QString("%.%1f").arg(decimals)); // Qt Charts garbles non-ASCII characters in the format
    chart()->setTitle(m_bars.empty() ? m_title : m_title + " (" + unit.name + ")");
    for (QAbstractAxis* axis : {static_cast<QAbstractAxis*>(m_names), static_cast<QAbstractAxis*>(m_time)}) {
        axis->setVisible(!m_bars.empty());
    }
    chart()->legend()->setVisible(!m_bars.empty());
    colour();
}

void KernelChart::setTheme(const Theme& theme)
{
    m_theme = &theme;
    colour();
}

void KernelChart::colour()
{
    QFont title = smallFont(scaledPixels(100) / 100.0);
    const QFont text = labelFont();
    title.setWeight(QFont::DemiBold);
    setBackgroundBrush(m_theme->window);
    chart()->setBackgroundBrush(m_theme->window);
    chart()->setTitleBrush(m_theme->text);
    chart()->setTitleFont(title);
    chart()->legend()->setLabelColor(m_theme->mutedText);
    chart()->legend()->setFont(text);
    for (QAbstractAxis* axis : {static_cast<QAbstractAxis*>(m_names), static_cast<QAbstractAxis*>(m_time)}) {
        axis->setLabelsColor(axis == m_names ? m_theme->text : m_theme->mutedText);
        axis->setLabelsFont(text);
        axis->setLinePen(QPen(m_theme->line));
        axis->setGridLinePen(QPen(m_theme->line));
    }
    const std::array<SliceCategory, 2> kinds{SliceCategory::compute, SliceCategory::communication};
    const QList<QBarSet*> sets = m_series->barSets();
    for (qsizetype i = 0; i < sets.size(); ++i) {
        sets[i]->setColor(m_theme->category(kinds[static_cast<size_t>(i)]));
        sets[i]->setBorderColor(m_theme->window);
    }
}

} // namespace lockstep
