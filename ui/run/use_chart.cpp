// SPDX-License-Identifier: Apache-2.0
#include "ui/run/use_chart.h"

#include <algorithm>

#include <QHelpEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>

#include "core/base/text.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

constexpr int64_t kGap_ns = 5'000'000'000; // a longer gap between samples is left blank

double topOf(const UseRow& row)
{
    double top = row.full;
    if (top <= 0) {
        for (const UsagePoint& sample : row.samples)
            top = std::max(top, sample.value);
    }
    return top > 0 ? top : 1;
}

} // namespace

QString useText(double value, UseRow::Unit unit)
{
    if (unit == UseRow::Unit::percent) return QString::number(value, 'f', 0) + " %";
    const QString bytes = QString::fromStdString(byteText(static_cast<int64_t>(value)));
    return unit == UseRow::Unit::bytes ? bytes : bytes + "/s";
}

UseChart::UseChart(QWidget* parent) : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Host utilization"));
}

void UseChart::setRows(std::vector<UseRow> rows)
{
    const bool isOtherShape = rows.size() != m_rows.size();
    m_rows = std::move(rows);
    QStringList values;
    for (const UseRow& row : m_rows) {
        if (!row.samples.empty()) values << row.name + " " + useText(row.samples.back().value, row.unit);
    }
    setAccessibleDescription(values.join(", "));
    if (isOtherShape) updateGeometry();
    update();
}

void UseChart::setTheme(const Theme& theme)
{
    m_theme = &theme;
    update();
}

int UseChart::rowHeight() const
{
    const int tall = m_rows.size() <= 2 ? 92 : m_rows.size() <= 6 ? 60 : 36;
    return scaledPixels(tall);
}

QSize UseChart::sizeHint() const
{
    return {scaledPixels(300), std::max(1, static_cast<int>(m_rows.size())) * rowHeight()};
}

QSize UseChart::minimumSizeHint() const
{
    return {scaledPixels(160), sizeHint().height()};
}

QRectF UseChart::plot(size_t row) const
{
    const int left = scaledPixels(76);
    return {static_cast<double>(left), static_cast<double>(row) * rowHeight() + scaledPixels(4),
            static_cast<double>(width() - left - 1), static_cast<double>(rowHeight() - scaledPixels(12))};
}

void UseChart::paintRow(QPainter& painter, size_t index) const
{
    const UseRow& row = m_rows[index];
    const QRectF area = plot(index);
    const QRectF label(0, area.top(), area.left() - scaledPixels(6), area.height());
    const QString last = row.samples.empty() ? QString() : useText(row.samples.back().value, row.unit);
    const double half = label.height() / 2, line = painter.fontMetrics().height();
    painter.setPen(m_theme->mutedText);
    painter.drawText(
        QRectF(label.left(), label.top() + half - line, label.width(), line), Qt::AlignVCenter,
        painter.fontMetrics().elidedText(row.name, Qt::ElideMiddle, static_cast<int>(label.width())));
    painter.setPen(m_theme->text);
    painter.drawText(QRectF(label.left(), label.top() + half, label.width(), line), Qt::AlignVCenter, last);
    painter.setPen(m_theme->line);
    painter.drawLine(area.bottomLeft(), area.bottomRight());
    if (row.samples.empty()) return;
    const double top = topOf(row);
    const int64_t end = row.samples.back().time_ns;
    const auto pointOf = [&](const UsagePoint& sample) {
        const double age =
            static_cast<double>(end - sample.time_ns) / static_cast<double>(HostSamples::kHistory_ns);
        const double share = std::clamp(sample.value / top, 0.0, 1.0);
        return QPointF(area.right() - age * area.width(), area.bottom() - share * area.height());
    };
    const QColor fill = mixed(m_theme->window, m_theme->accent, 0.38);
    for (size_t from = 0; from < row.samples.size();) {
        QPolygonF outline;
        size_t to = from;
        do {
            outline << pointOf(row.samples[to++]);
        } while (to < row.samples.size() && row.samples[to].time_ns - row.samples[to - 1].time_ns < kGap_ns);
        QPolygonF body = outline;
        body << QPointF(outline.back().x(), area.bottom()) << QPointF(outline.front().x(), area.bottom());
        painter.setPen(Qt::NoPen);
        painter.setBrush(fill);
        painter.drawPolygon(body);
        painter.setPen(QPen(m_theme->accent, 1.2));
        painter.drawPolyline(outline);
        from = to;
    }
}

void UseChart::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(smallFont(scaledPixels(100) / 100.0));
    if (m_rows.empty()) {
        painter.setPen(m_theme->mutedText);
        painter.drawText(
            rect(), Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap,
            tr("No data yet. Each host reports its utilization once per second during the run."));
    }
    for (size_t i = 0; i < m_rows.size(); ++i)
        paintRow(painter, i);
}

bool UseChart::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* const help = static_cast<QHelpEvent*>(event);
    QString text;
    const auto index = static_cast<size_t>(std::max(0, help->pos().y() / rowHeight()));
    if (index < m_rows.size() && !m_rows[index].samples.empty()) {
        const UseRow& row = m_rows[index];
        const QRectF area = plot(index);
        const double age = std::clamp((area.right() - help->pos().x()) / area.width(), 0.0, 1.0);
        const int64_t at = row.samples.back().time_ns -
                           static_cast<int64_t>(age * static_cast<double>(HostSamples::kHistory_ns));
        const auto next = std::ranges::lower_bound(row.samples, at, {}, &UsagePoint::time_ns);
        const UsagePoint& sample = next == row.samples.end() ? row.samples.back() : *next;
        text = QString::fromStdString(utcTimeText(sample.time_ns)).left(8) + " UTC  " + row.name + "  " +
               useText(sample.value, row.unit);
    }
    QToolTip::showText(help->globalPos(), text, this);
    return true;
}

} // namespace lockstep
