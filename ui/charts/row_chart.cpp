// SPDX-License-Identifier: Apache-2.0
#include "ui/charts/row_chart.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>

#include "core/base/text.h"
#include "core/export/svg_chart.h"
#include "ui/charts/chart_painter.h"
#include "ui/panels/filter_header.h"
#include "ui/panels/table_view.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

constexpr int kLabelShare_percent = 30;
constexpr std::array kPartKinds{SliceCategory::compute, SliceCategory::communication,
                                SliceCategory::copyToDevice, SliceCategory::synchronization,
                                SliceCategory::cudaApi};

} // namespace

RowChart::RowChart(TableView& view, QWidget* parent) : QWidget(parent), m_view(view)
{
    setAccessibleName(tr("Chart next to the table"));
    setMouseTracking(true);
    const auto redraw = [this] { update(); };
    connect(view.verticalScrollBar(), &QScrollBar::valueChanged, this, redraw);
    connect(&view, &TableView::currentTableRowChanged, this, redraw);
    connect(view.model(), &QAbstractItemModel::layoutChanged, this, redraw);
    connect(view.model(), &QAbstractItemModel::modelReset, this, redraw);
    connect(view.model(), &QAbstractItemModel::rowsInserted, this, redraw);
    connect(view.model(), &QAbstractItemModel::rowsRemoved, this, redraw);
    connect(view.filterHeader(), &QHeaderView::geometriesChanged, this, redraw);
}

void RowChart::setChart(std::shared_ptr<const Table> table, const TableChart& chart)
{
    m_table = std::move(table);
    m_chart = chart;
    m_largest = 0;
    for (size_t row = 0; m_table && row < m_table->rowCount(); ++row) {
        for (const std::optional<size_t>& column : {std::optional(chart.values[0]), chart.high}) {
            if (column && m_table->hasNumber(*column, row))
                m_largest = std::max(m_largest, m_table->value(*column, row));
        }
    }
    if (chart.kind == ChartKind::stacked) m_largest = 100;
    update();
}

void RowChart::setTheme(const Theme& theme)
{
    m_theme = &theme;
    update();
}

int RowChart::top() const
{
    return mapFromGlobal(m_view.viewport()->mapToGlobal(QPoint(0, 0))).y();
}

QRect RowChart::rowRect(int shownRow) const
{
    return {0, top() + m_view.rowViewportPosition(shownRow), width(), m_view.rowHeight(shownRow)};
}

QRect RowChart::barOf(int shownRow) const
{
    if (shownRow < 0 || shownRow >= m_view.shownRows()) return {};
    const QRect row = rowRect(shownRow);
    const int left = width() * kLabelShare_percent / 100;
    // Leave room for the value after the bar.
    const int right = m_chart.kind == ChartKind::stacked ? scaledPixels(12) : scaledPixels(84);
    return {left, row.top() + scaledPixels(4), width() - left - right, row.height() - scaledPixels(9)};
}

QColor RowChart::partColor(size_t part) const
{
    if (columnLabel(*m_table, m_chart.values[part]) == "idle") return m_theme->idle;
    return m_theme->category(kPartKinds[part % kPartKinds.size()]);
}

void RowChart::paintHead(QPainter& painter) const
{
    const QRect head(scaledPixels(12), 0, width() - scaledPixels(24), top());
    painter.setPen(m_theme->text);
    painter.setFont(chartTitleFont());
    if (m_chart.kind == ChartKind::bars) {
        const QString name =
            m_view.model()->headerData(static_cast<int>(m_chart.values[0]), Qt::Horizontal).toString();
        const QString title = m_chart.low ? tr("%1, line: 95 % interval").arg(name) : name;
        painter.drawText(head, Qt::AlignVCenter | Qt::TextSingleLine,
                         painter.fontMetrics().elidedText(title, Qt::ElideRight, head.width()));
        return;
    }
    painter.drawText(head, Qt::AlignVCenter | Qt::TextSingleLine, tr("Share (%)"));
    painter.setFont(chartFont());
    std::vector<BarSegment> legend;
    for (size_t part = 0; part < m_chart.values.size(); ++part)
        legend.push_back(
            {0, partColor(part), QString::fromStdString(columnLabel(*m_table, m_chart.values[part]))});
    paintLegend(painter, head, legend);
}

void RowChart::paintValue(QPainter& painter, const QRect& bars, size_t row) const
{
    const size_t column = m_chart.values[0];
    if (!m_table->hasNumber(column, row) || m_largest <= 0) return;
    const auto at = [&](double value) {
        return bars.left() + static_cast<int>(std::lround(bars.width() * std::max(0.0, value) / m_largest));
    };
    const int end = paintStackedBar(
        painter, bars, m_largest,
        std::array{BarSegment{m_table->value(column, row), m_theme->category(SliceCategory::compute)}});
    int figure = end;
    if (m_chart.low && m_table->hasNumber(*m_chart.low, row) && m_table->hasNumber(*m_chart.high, row)) {
        const int low = at(m_table->value(*m_chart.low, row)), high = at(m_table->value(*m_chart.high, row));
        const int middle = bars.center().y(), tick = scaledPixels(3);
        painter.setPen(m_theme->text);
        painter.drawLine(low, middle, high, middle);
        painter.drawLine(low, middle - tick, low, middle + tick);
        painter.drawLine(high, middle - tick, high, middle + tick);
        figure = std::max(end, high);
    }
    painter.setPen(m_theme->mutedText);
    painter.drawText(QRect(figure + scaledPixels(6), bars.top() - scaledPixels(4), width(),
                           bars.height() + scaledPixels(8)),
                     Qt::AlignVCenter, QString::fromStdString(shownCell(*m_table, column, row)));
}

void RowChart::paintParts(QPainter& painter, const QRect& bars, size_t row) const
{
    painter.fillRect(bars, m_theme->panel);
    std::vector<BarSegment> segments;
    for (size_t part = 0; part < m_chart.values.size(); ++part) {
        if (!m_table->hasNumber(m_chart.values[part], row)) continue;
        const double value = m_table->value(m_chart.values[part], row);
        segments.push_back({value, partColor(part), QString::number(std::lround(value))});
    }
    paintStackedBar(painter, bars, 100, segments);
}

void RowChart::paintRow(QPainter& painter, int shownRow) const
{
    const QRect rect = rowRect(shownRow);
    const int tableRow = m_view.tableRowOf(shownRow);
    if (tableRow < 0) return;
    const bool isCurrent = tableRow == m_view.currentTableRow();
    if (isCurrent) painter.fillRect(rect, mixed(m_theme->window, m_theme->accent, 0.14));
    painter.setPen(m_theme->line);
    painter.drawLine(rect.bottomLeft(), rect.bottomRight());
    const QRect bars = barOf(shownRow);
    const auto row = static_cast<size_t>(tableRow);
    painter.setPen(isCurrent ? m_theme->text : m_theme->mutedText);
    const QString label = QString::fromStdString(chartLabel(*m_table, m_chart, row));
    const QRect text(scaledPixels(12), rect.top(), bars.left() - scaledPixels(20), rect.height());
    painter.drawText(text, Qt::AlignRight | Qt::AlignVCenter | Qt::TextSingleLine,
                     painter.fontMetrics().elidedText(label, Qt::ElideMiddle, text.width()));
    if (m_chart.kind == ChartKind::stacked) {
        paintParts(painter, bars, row);
    } else {
        paintValue(painter, bars, row);
    }
}

void RowChart::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_theme->window);
    painter.setPen(m_theme->line);
    painter.drawLine(0, 0, 0, height());
    m_drawnRows = 0;
    if (!m_table) return;
    paintHead(painter);
    painter.setPen(m_theme->line);
    painter.drawLine(0, top() - 1, width(), top() - 1);
    const int shownHeight = m_view.viewport()->height();
    painter.setClipRect(1, top(), width(), shownHeight);
    painter.setFont(chartFont());
    for (int row = std::max(0, m_view.rowAt(0)); row < m_view.shownRows(); ++row, ++m_drawnRows) {
        if (m_view.rowViewportPosition(row) >= shownHeight) break;
        paintRow(painter, row);
    }
}

void RowChart::mousePressEvent(QMouseEvent* event)
{
    const int row = m_view.rowAt(event->position().toPoint().y() - top());
    if (m_table && event->button() == Qt::LeftButton && event->position().y() >= top() && row >= 0)
        emit rowClicked(m_view.tableRowOf(row));
}

// Scrolls the table, which the chart follows.
void RowChart::wheelEvent(QWheelEvent* event)
{
    QScrollBar* const bar = m_view.verticalScrollBar();
    const int steps = event->pixelDelta().isNull() ? event->angleDelta().y() * m_view.rowHeight(0) * 3 / 120
                                                   : event->pixelDelta().y();
    bar->setValue(bar->value() - steps);
    event->accept();
}

QString RowChart::toolTipOf(int shownRow) const
{
    const auto row = static_cast<size_t>(m_view.tableRowOf(shownRow));
    QString tip = QString::fromStdString(chartLabel(*m_table, m_chart, row));
    for (const size_t column : m_chart.values) {
        tip += "\n" + tr("%1: %2").arg(QString::fromStdString(columnLabel(*m_table, column)),
                                       QString::fromStdString(shownCell(*m_table, column, row)));
    }
    return tip;
}

bool RowChart::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* const help = static_cast<QHelpEvent*>(event);
    const int row = m_view.rowAt(help->y() - top());
    if (!m_table || row < 0 || help->y() < top()) {
        QToolTip::hideText();
    } else {
        QToolTip::showText(help->globalPos(), toolTipOf(row), this);
    }
    return true;
}

} // namespace lockstep
