// SPDX-License-Identifier: Apache-2.0
#include "ui/panels/kernel_chart.h"

#include <algorithm>
#include <array>
#include <map>
#include <span>

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include "core/analysis/summary.h"
#include "core/base/text.h"
#include "core/timeline/elide.h"
#include "ui/charts/chart_painter.h"
#include "ui/style/style_sheet.h"
#include "ui/timeline/timeline_font.h"

namespace lockstep {

namespace {

constexpr size_t kMaxKernels = 16;
constexpr int kTitleHeight = 26, kLegendHeight = 26, kMinPitch = 17, kMaxPitch = 30; // pixels at scale 1

QString totalText(double total_ns, int digits)
{
    return QString::fromStdString(durationText({static_cast<int64_t>(total_ns)}, digits));
}

} // namespace

KernelChart::KernelChart(QWidget* parent) : QWidget(parent)
{
    setAccessibleName(tr("Top kernels by time"));
    setMinimumWidth(scaledPixels(300));
}

void KernelChart::setTable(const Table* table, GroupBy by, const QString& title)
{
    m_bars.clear();
    if (table != nullptr) fillBars(*table, by);
    QStringList words;
    for (const Bar& bar : m_bars)
        words << bar.label + ' ' + totalText(bar.total_ns(), 2);
    setAccessibleDescription(words.join("; "));
    setTitle(title);
}

void KernelChart::setTitle(const QString& title)
{
    m_title = title;
    update();
}

void KernelChart::setTheme(const Theme& theme)
{
    m_theme = &theme;
    update();
}

// A table of kernels has one bar per row, with the largest first; a grouped one has one bar per group.
void KernelChart::fillBars(const Table& table, GroupBy by)
{
    const TimeSummaryColumns at(by);
    m_isGrouped = by != GroupBy::total;
    const QString prefix =
        m_isGrouped ? QString::fromStdString(table.column(0).name).toLower() + ' ' : QString();
    std::map<std::string, size_t> barOfGroup;
    for (size_t row = 0; row < table.rowCount(); ++row) {
        const std::string label = table.cell(m_isGrouped ? 0 : at.labels, row);
        const auto [known, isNew] = barOfGroup.try_emplace(label, m_bars.size());
        if (isNew) {
            if (!m_isGrouped && m_bars.size() == kMaxKernels) break;
            m_bars.push_back({prefix + QString::fromStdString(label), 0, 0, static_cast<int>(row)});
        }
        const bool isCommunication =
            kernelCategory(table.text(at.labels, row)) == SliceCategory::communication;
        Bar& bar = m_bars[known->second];
        (isCommunication ? bar.communication_ns : bar.compute_ns) += table.value(at.total, row);
    }
}

QRect KernelChart::barArea() const
{
    return rect().adjusted(scaledPixels(12), scaledPixels(kTitleHeight), -scaledPixels(12),
                           -scaledPixels(kLegendHeight));
}

// All groups are shown, because any of them may be the slow one; of the kernels, those that fit.
size_t KernelChart::shownBars() const
{
    if (m_isGrouped) return m_bars.size();
    const int room = std::max(3, barArea().height() / scaledPixels(kMinPitch));
    return std::min(m_bars.size(), static_cast<size_t>(room));
}

QRect KernelChart::rowRect(size_t bar) const
{
    const size_t shown = shownBars();
    if (bar >= shown) return {};
    const QRect area = barArea();
    const double pitch = std::min(area.height() / static_cast<double>(shown), scaledPixels(kMaxPitch) * 1.0);
    const auto top = [&](size_t at) {
        return area.top() + static_cast<int>(pitch * static_cast<double>(at));
    };
    return {area.left(), top(bar), area.width(), std::max(1, top(bar + 1) - top(bar))};
}

const KernelChart::Bar* KernelChart::barAt(QPoint position) const
{
    for (size_t i = 0; i < shownBars(); ++i)
        if (rowRect(i).contains(position)) return &m_bars[i];
    return nullptr;
}

void KernelChart::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_theme->window);
    const int side = scaledPixels(12);
    painter.setPen(m_theme->text);
    painter.setFont(chartTitleFont());
    painter.drawText(QRect(side, 0, width() - 2 * side, scaledPixels(kTitleHeight)), Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(m_title, Qt::ElideRight, width() - 2 * side));
    if (m_bars.empty()) return;
    painter.setFont(chartLabelFont());
    const std::array kinds{
        BarSegment{0, m_theme->category(SliceCategory::compute), tr("compute")},
        BarSegment{0, m_theme->category(SliceCategory::communication), tr("communication")}};
    painter.setPen(m_theme->mutedText);
    paintLegend(
        painter,
        {side, height() - scaledPixels(kLegendHeight), width() - 2 * side, scaledPixels(kLegendHeight)},
        kinds);
    paintRows(painter, kinds[0].color, kinds[1].color);
}

void KernelChart::paintRows(QPainter& painter, const QColor& compute, const QColor& communication) const
{
    const QFontMetrics metrics = painter.fontMetrics();
    const LabelFont labelFont = labelFontOf(painter.font());
    const std::span bars = std::span(m_bars).first(shownBars());
    QStringList labels, totals;
    int labelWidth = 0, totalWidth = 0;
    double largest_ns = 0;
    for (const Bar& bar : bars) {
        labels << QString::fromStdString(
            elideKernel(bar.label.toStdString(), static_cast<float>(width()) * 0.38f, labelFont));
        totals << totalText(bar.total_ns(), 2);
        labelWidth = std::max(labelWidth, metrics.horizontalAdvance(labels.back()));
        totalWidth = std::max(totalWidth, metrics.horizontalAdvance(totals.back()));
        largest_ns = std::max(largest_ns, bar.total_ns());
    }
    const int gap = scaledPixels(6);
    int free = 0; // y coordinate where the next label may begin
    for (size_t i = 0; i < bars.size(); ++i) {
        const QRect row = rowRect(i);
        const int inset = row.height() / 5;
        const int end = paintStackedBar(
            painter, row.adjusted(labelWidth + gap, inset, -totalWidth - gap, -inset), largest_ns,
            std::array{BarSegment{bars[i].compute_ns, compute},
                       BarSegment{bars[i].communication_ns, communication}});
        const int middle = row.center().y();
        if (middle - metrics.height() / 2 < free) continue;
        free = middle + metrics.height() / 2;
        painter.setPen(m_theme->text);
        painter.drawText(QRect(row.left(), row.top(), labelWidth, row.height()),
                         Qt::AlignRight | Qt::AlignVCenter | Qt::TextDontClip,
                         labels[static_cast<qsizetype>(i)]);
        painter.setPen(m_theme->mutedText);
        painter.drawText(QRect(end + gap, row.top(), totalWidth, row.height()),
                         Qt::AlignVCenter | Qt::TextDontClip, totals[static_cast<qsizetype>(i)]);
    }
}

void KernelChart::mousePressEvent(QMouseEvent* event)
{
    const Bar* const bar = barAt(event->position().toPoint());
    if (event->button() == Qt::LeftButton && bar != nullptr) emit rowClicked(bar->tableRow);
}

bool KernelChart::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* const help = static_cast<QHelpEvent*>(event);
    const Bar* const bar = barAt(help->pos());
    QToolTip::showText(help->globalPos(),
                       bar != nullptr ? bar->label + "\n" + totalText(bar->total_ns(), 3) : QString(), this);
    return true;
}

} // namespace lockstep
