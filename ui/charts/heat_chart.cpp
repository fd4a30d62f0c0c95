// SPDX-License-Identifier: Apache-2.0
#include "ui/charts/heat_chart.h"

#include <algorithm>
#include <cmath>

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include "core/analysis/table_header.h"
#include "core/base/text.h"
#include "core/export/svg_chart.h"
#include "ui/charts/chart_painter.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

// Returns the range of cells that share a pixel; at least one cell.
std::pair<size_t, size_t> cellsOf(int pixel, int pixels, size_t cells)
{
    const auto at = [&](int place) {
        return static_cast<size_t>(int64_t(place) * int64_t(cells) / std::max(1, pixels));
    };
    return {at(pixel), std::max(at(pixel) + 1, at(pixel + 1))};
}

} // namespace

HeatChart::HeatChart(QWidget* parent) : QWidget(parent)
{
    setAccessibleName(tr("Heat map of the table"));
}

void HeatChart::setChart(std::shared_ptr<const Table> table, const TableChart& chart)
{
    m_table = std::move(table);
    m_chart = chart;
    m_grid = m_table ? heatGridOf(*m_table, chart) : HeatGrid();
    m_cells = {};
    update();
}

void HeatChart::setTheme(const Theme& theme)
{
    m_theme = &theme;
    m_cells = {};
    update();
}

QRect HeatChart::plot() const
{
    const int left = std::min(width() * 3 / 10, scaledPixels(130));
    return {left, scaledPixels(30), std::max(1, width() - left - scaledPixels(14)),
            std::max(1, height() - scaledPixels(30 + 50))};
}

QColor HeatChart::colorOf(double value) const
{
    const double share = m_grid.largest > 0 ? std::clamp(value / m_grid.largest, 0.0, 1.0) : 0;
    return mixed(m_theme->laneAlternate,
                 m_theme->category(SliceCategory::compute).darker(m_theme->isDark ? 100 : 120), share);
}

QString HeatChart::momentText(size_t moment) const
{
    const int64_t number = m_grid.moments[moment];
    const TableColumn& column = m_table->column(m_chart.along);
    if (column.type == ColumnType::time) return QString::fromStdString(durationText({number}));
    return QString::fromStdString(column.name + " " + fixedPointText(number, column.decimals));
}

QImage HeatChart::drawnCells(QSize size) const
{
    QImage image(size, QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::transparent); // transparent pixels leave the hatching visible
    if (m_grid.cells.empty()) return image;
    for (int y = 0; y < size.height(); ++y) {
        const auto [firstLine, endLine] = cellsOf(y, size.height(), m_grid.lines.size());
        auto* const pixels = reinterpret_cast<QRgb*>(image.scanLine(y));
        for (int x = 0; x < size.width(); ++x) {
            const auto [first, end] = cellsOf(x, size.width(), m_grid.moments.size());
            double largest = std::numeric_limits<double>::quiet_NaN();
            for (size_t line = firstLine; line < endLine; ++line) {
                for (size_t moment = first; moment < end; ++moment)
                    largest = std::fmax(largest, m_grid.at(line, moment).value);
            }
            if (!std::isnan(largest)) pixels[x] = colorOf(largest).rgb();
        }
    }
    return image;
}

void HeatChart::paintLines(QPainter& painter) const
{
    const QRect area = plot();
    const int apart = painter.fontMetrics().height();
    int below = area.top() - 1;
    for (size_t line = 0; line < m_grid.lines.size(); ++line) {
        const int middle = area.top() + static_cast<int>((2 * line + 1) * static_cast<size_t>(area.height()) /
                                                         (2 * m_grid.lines.size()));
        if (middle - apart / 2 < below) continue; // skip labels for which there is no room
        below = middle + apart / 2;
        const QRect text(scaledPixels(8), middle - apart / 2, area.left() - scaledPixels(14), apart);
        const QString name = QString::fromStdString(m_grid.lines[line]);
        painter.drawText(text, Qt::AlignRight | Qt::AlignVCenter | Qt::TextSingleLine,
                         painter.fontMetrics().elidedText(name, Qt::ElideMiddle, text.width()));
    }
}

void HeatChart::paintMoments(QPainter& painter) const
{
    const QRect area = plot();
    const QRect line(area.left(), area.bottom() + scaledPixels(4), area.width(),
                     painter.fontMetrics().height());
    const QString first = momentText(0), last = momentText(m_grid.moments.size() - 1);
    painter.drawText(line, Qt::AlignLeft, first);
    const int used = painter.fontMetrics().horizontalAdvance(first + last) + scaledPixels(16);
    if (m_grid.moments.size() > 1 && used <= area.width()) painter.drawText(line, Qt::AlignRight, last);
}

void HeatChart::paintScale(QPainter& painter) const
{
    const QRect area = plot();
    const int top = area.bottom() + scaledPixels(28), height = scaledPixels(9);
    const QRect bar(area.left() + scaledPixels(18), top, scaledPixels(120), height);
    for (int x = 0; x < bar.width(); ++x)
        painter.fillRect(bar.left() + x, top, 1, height, colorOf(m_grid.largest * x / bar.width()));
    const TableColumn& column = m_table->column(m_chart.values[0]);
    const QString largest =
        column.type == ColumnType::time
            ? QString::fromStdString(durationText({std::llround(m_grid.largest)}))
            : QString::number(m_grid.largest, 'g', 4) + " " + QString::fromStdString(column.unit);
    const QRect text(0, top - scaledPixels(4), width(), height + scaledPixels(8));
    painter.setPen(m_theme->mutedText);
    painter.drawText(text.adjusted(area.left(), 0, 0, 0), Qt::AlignVCenter, "0");
    painter.drawText(text.adjusted(bar.right() + scaledPixels(8), 0, 0, 0), Qt::AlignVCenter, largest);
    const int left = bar.right() + scaledPixels(24) + painter.fontMetrics().horizontalAdvance(largest);
    const QRect hatch(left, top, scaledPixels(16), height);
    painter.fillRect(hatch, QBrush(m_theme->line, Qt::BDiagPattern));
    painter.drawText(text.adjusted(hatch.right() + scaledPixels(6), 0, 0, 0), Qt::AlignVCenter,
                     tr("not in the table"));
}

void HeatChart::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_theme->window);
    painter.setPen(m_theme->line);
    painter.drawLine(0, 0, 0, height());
    if (!m_table || m_grid.cells.empty()) return;
    const QRect area = plot();
    if (m_cells.size() != area.size() * devicePixelRatioF()) {
        m_cells = drawnCells(area.size() * devicePixelRatioF());
        m_cells.setDevicePixelRatio(devicePixelRatioF());
    }
    painter.setFont(chartTitleFont());
    painter.setPen(m_theme->text);
    painter.drawText(
        QRect(scaledPixels(12), 0, width(), area.top()), Qt::AlignVCenter,
        tr("%1 by %2")
            .arg(QString::fromStdString(shownHeader(*m_table, m_chart.values[0])),
                 m_table->column(m_chart.along).type == ColumnType::time ? tr("time") : tr("step")));
    painter.fillRect(area, QBrush(m_theme->line, Qt::BDiagPattern));
    painter.drawImage(area.topLeft(), m_cells);
    painter.setFont(chartLabelFont());
    painter.setPen(m_theme->mutedText);
    paintLines(painter);
    paintMoments(painter);
    paintScale(painter);
}

void HeatChart::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    m_cells = {};
}

const HeatGrid::Cell* HeatChart::cellAt(QPoint place) const
{
    const QRect area = plot();
    if (m_grid.cells.empty() || !area.contains(place)) return nullptr;
    const auto [firstLine, endLine] = cellsOf(place.y() - area.top(), area.height(), m_grid.lines.size());
    const auto [first, end] = cellsOf(place.x() - area.left(), area.width(), m_grid.moments.size());
    const HeatGrid::Cell* best = nullptr;
    for (size_t line = firstLine; line < endLine; ++line) {
        for (size_t moment = first; moment < end; ++moment) {
            const HeatGrid::Cell& cell = m_grid.at(line, moment);
            if (!std::isnan(cell.value) && (best == nullptr || cell.value > best->value)) best = &cell;
        }
    }
    return best;
}

void HeatChart::mousePressEvent(QMouseEvent* event)
{
    const HeatGrid::Cell* const cell = cellAt(event->position().toPoint());
    if (event->button() == Qt::LeftButton && cell != nullptr) emit rowClicked(static_cast<int>(cell->row));
}

bool HeatChart::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* const help = static_cast<QHelpEvent*>(event);
    if (const HeatGrid::Cell* const cell = cellAt(help->pos())) {
        const std::string tip = chartLabel(*m_table, m_chart, cell->row) + ", " +
                                shownCell(*m_table, m_chart.along, cell->row) + ": " +
                                shownCell(*m_table, m_chart.values[0], cell->row);
        QToolTip::showText(help->globalPos(), QString::fromStdString(tip).toHtmlEscaped(), this);
    } else {
        QToolTip::hideText();
    }
    return true;
}

} // namespace lockstep
