// SPDX-License-Identifier: Apache-2.0
#include "ui/charts/histogram_view.h"

#include <algorithm>
#include <cmath>

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include "core/base/text.h"
#include "ui/charts/chart_painter.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

HistogramView::HistogramView(Choice choice, QWidget* parent) : QWidget(parent), m_choice(choice)
{
    setFocusPolicy(Qt::StrongFocus);
    setMinimumHeight(scaledPixels(70));
    setFont(chartFont());
}

void HistogramView::setHistogram(HistogramBars histogram, const QColor& color, std::vector<Line> lines)
{
    m_histogram = std::move(histogram);
    m_color = color;
    m_lines = std::move(lines);
    m_chosen.reset();
    m_isPressed = false;
    layOut();
}

void HistogramView::setTheme(const Theme& theme)
{
    m_theme = &theme;
    setFont(chartFont());
    layOut();
}

void HistogramView::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    layOut();
}

// Leaves room for the title, the line names or the name of the counts, and the labels of both axes.
void HistogramView::layOut()
{
    const int line = fontMetrics().height() + scaledPixels(2);
    const QRect area = contentsRect().adjusted(0, line * (m_histogram.name.empty() ? 1 : 2), -scaledPixels(6),
                                               -line - scaledPixels(2));
    m_plot = area.adjusted(leftAxisWidth(m_histogram.counts, area.height(), fontMetrics()), 0, 0, 0);
    update();
}

int HistogramView::xOf(double duration_ns) const
{
    const double share = std::clamp(m_histogram.durations.shareOf(duration_ns), 0.0, 1.0);
    return m_plot.left() + static_cast<int>(share * m_plot.width());
}

QRect HistogramView::rectOfBar(const HistogramBars::Bar& bar) const
{
    const int left = xOf(bar.from_ns), width = xOf(bar.to_ns) - left;
    const double share = m_histogram.counts.shareOf(bar.count);
    const int height =
        bar.count > 0 ? std::max(scaledPixels(1), static_cast<int>(share * m_plot.height())) : 0;
    return {left, m_plot.bottom() + 1 - height, std::max(1, width > 4 ? width - 1 : width), height};
}

// Returns the index of the bar nearest to a position. The histogram must have a bar.
size_t HistogramView::barAt(int x) const
{
    const auto distance = [&](const HistogramBars::Bar& bar) {
        const int left = xOf(bar.from_ns), right = xOf(bar.to_ns);
        return x < left ? left - x : std::max(0, x - right + 1);
    };
    return static_cast<size_t>(std::ranges::min_element(m_histogram.bars, {}, distance) -
                               m_histogram.bars.begin());
}

// Returns the rectangle of the name of a line: next to the top of the line, on the side with room.
QRect HistogramView::nameRect(const Line& line) const
{
    const int x = xOf(line.duration_ns);
    const int width = fontMetrics().horizontalAdvance(line.name) + scaledPixels(8);
    return {x + width > this->width() ? x - width : x,
            m_plot.top() - scaledPixels(3) - fontMetrics().ascent(), width, fontMetrics().height()};
}

std::vector<HistogramView::Line> HistogramView::drawnLines() const
{
    std::vector<Line> drawn;
    for (const Line& line : m_lines) {
        const auto overlaps = [&](const Line& other) { return nameRect(line).intersects(nameRect(other)); };
        if (std::ranges::none_of(drawn, overlaps)) drawn.push_back(line);
    }
    return drawn;
}

void HistogramView::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_theme->window);
    if (m_histogram.bars.empty()) return;
    const QRect inside = contentsRect();
    if (!m_histogram.name.empty()) {
        const QRect line(inside.left(), inside.top(), inside.width(), fontMetrics().height());
        painter.setFont(chartTitleFont());
        painter.setPen(m_theme->text);
        painter.drawText(line, Qt::AlignVCenter,
                         painter.fontMetrics().elidedText(QString::fromStdString(m_histogram.name),
                                                          Qt::ElideMiddle, line.width()));
        painter.setFont(font());
        painter.setPen(m_theme->mutedText);
        painter.drawText(line.translated(0, line.height()), Qt::AlignVCenter,
                         QString::fromStdString(m_histogram.countName));
    }
    paintLeftAxis(painter, m_histogram.counts, m_plot, *m_theme);
    paintBottomAxis(painter, m_histogram.durations, m_plot, *m_theme);
    for (size_t i = 0; i < m_histogram.bars.size(); ++i) {
        const bool isOut = m_chosen && (i < m_chosen->first || i > m_chosen->second);
        painter.fillRect(rectOfBar(m_histogram.bars[i]),
                         isOut ? mixed(m_color, m_theme->window, 0.6) : m_color);
    }
    for (const Line& line : drawnLines()) {
        const int x = xOf(line.duration_ns);
        painter.setPen(QPen(m_theme->text, 1, Qt::DashLine));
        painter.drawLine(x, m_plot.top() - fontMetrics().ascent(), x, m_plot.bottom());
        painter.drawText(nameRect(line), Qt::AlignCenter, line.name);
    }
    if (!hasFocus()) return;
    painter.setPen(QPen(m_theme->accent, 1));
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

// Returns the range and the number of slices in the bars between two indices.
QString HistogramView::textOf(size_t first, size_t last, bool hasAdvice) const
{
    double count = 0;
    for (size_t i = first; i <= last; ++i)
        count += m_histogram.bars[i].count;
    // The bars of a linear axis may be a few nanoseconds wide.
    const int digits = m_histogram.durations.scale == AxisScale::logarithmic ? 1 : 3;
    const auto timeText = [&](double ns) {
        return QString::fromStdString(durationText({std::llround(ns)}, digits));
    };
    return (hasAdvice ? tr("Slices from %2 to %3: %1. Drag to select.") : tr("Slices from %2 to %3: %1"))
        .arg(QString::fromStdString(groupedText(std::llround(count))),
             timeText(m_histogram.bars[first].from_ns), timeText(m_histogram.bars[last].to_ns));
}

void HistogramView::choose(size_t from, size_t to)
{
    m_from = m_choice == Choice::range ? from : to;
    m_to = to;
    m_chosen = std::minmax(m_from, m_to);
    setAccessibleDescription(textOf(m_chosen->first, m_chosen->second, false));
    update();
}

void HistogramView::emitChoice()
{
    emit barsChosen(m_histogram.bars[m_chosen->first].id, m_histogram.bars[m_chosen->second].id);
}

void HistogramView::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton || m_histogram.bars.empty()) return;
    m_isPressed = true;
    const size_t bar = barAt(static_cast<int>(event->position().x()));
    choose(bar, bar);
}

void HistogramView::mouseMoveEvent(QMouseEvent* event)
{
    if (m_isPressed) choose(m_from, barAt(static_cast<int>(event->position().x())));
}

void HistogramView::mouseReleaseEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton || !m_isPressed) return;
    m_isPressed = false;
    emitChoice();
}

void HistogramView::keyPressEvent(QKeyEvent* event)
{
    const bool isStep = event->key() == Qt::Key_Left || event->key() == Qt::Key_Right;
    if (isStep && !m_histogram.bars.empty()) {
        const bool isLeft = event->key() == Qt::Key_Left;
        const size_t last = m_histogram.bars.size() - 1;
        const size_t at = !m_chosen ? (isLeft ? last : 0)
                          : isLeft  ? std::max<size_t>(m_to, 1) - 1
                                    : std::min(m_to + 1, last);
        const bool isWider = (event->modifiers() & Qt::ShiftModifier) != 0 && m_chosen;
        return choose(isWider ? m_from : at, at);
    }
    const bool isReturn = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (isReturn && m_chosen) {
        emitChoice();
    } else if (event->key() == Qt::Key_Escape && m_chosen) {
        m_chosen.reset();
        m_isPressed = false;
        update();
    } else {
        QWidget::keyPressEvent(event);
    }
}

bool HistogramView::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip || m_histogram.bars.empty()) return QWidget::event(event);
    const auto* const help = static_cast<QHelpEvent*>(event);
    const size_t bar = barAt(help->pos().x());
    QToolTip::showText(help->globalPos(), textOf(bar, bar, m_choice == Choice::range), this);
    return true;
}

} // namespace lockstep
