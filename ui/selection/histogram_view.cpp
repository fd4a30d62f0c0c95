// SPDX-License-Identifier: Apache-2.0
#include "ui/selection/histogram_view.h"

#include <algorithm>
#include <cmath>

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include "core/base/text.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

QString barTimeText(int64_t ns)
{
    return QString::fromUtf8(durationText({ns}, 1));
}

QString barCountText(uint64_t count)
{
    return QString::fromUtf8(groupedText(static_cast<int64_t>(count)));
}

} // namespace

HistogramView::HistogramView(QWidget* parent) : QWidget(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setMinimumHeight(scaledPixels(70));
    setFont(smallFont(scaledPixels(100) / 100.0));
    setAccessibleName(tr("Durations of the selection"));
}

void HistogramView::setHistogram(DurationHistogram histogram, const QColor& color)
{
    m_histogram = std::move(histogram);
    m_color = color;
    m_chosen.reset();
    m_pressed.reset();
    update();
}

void HistogramView::setTheme(const Theme& theme)
{
    m_theme = &theme;
    setFont(smallFont(scaledPixels(100) / 100.0));
    update();
}

QRect HistogramView::plotArea() const
{
    const QFontMetrics metrics(font());
    const uint64_t most = m_histogram.bars.empty() ? 0 : std::ranges::max(m_histogram.bars);
    const int left = metrics.horizontalAdvance(barCountText(most)) + scaledPixels(8);
    const int line = metrics.height() + scaledPixels(2);
    return rect().adjusted(left, line, -scaledPixels(6), -line);
}

QRect HistogramView::rectOfBar(int bar) const
{
    const QRect plot = plotArea();
    const auto bars = static_cast<double>(std::max<size_t>(1, m_histogram.bars.size()));
    const auto edge = [&](int at) {
        return plot.left() + static_cast<int>((at - m_histogram.first) * plot.width() / bars);
    };
    const auto index = static_cast<size_t>(bar - m_histogram.first);
    const auto most = static_cast<double>(std::ranges::max(m_histogram.bars));
    const auto count = static_cast<double>(m_histogram.bars[index]);
    const int height =
        count > 0 ? std::max(scaledPixels(1), static_cast<int>(count / most * plot.height())) : 0;
    const int gap = edge(bar + 1) - edge(bar) > 4 ? 1 : 0;
    return {edge(bar), plot.bottom() + 1 - height, std::max(1, edge(bar + 1) - edge(bar) - gap), height};
}

int HistogramView::barAt(int x) const
{
    const QRect plot = plotArea();
    const auto bars = static_cast<int>(m_histogram.bars.size());
    const int at = (x - plot.left()) * bars / std::max(1, plot.width());
    return m_histogram.first + std::clamp(at, 0, std::max(0, bars - 1));
}

double HistogramView::xOf(int64_t duration_ns) const
{
    const QRect plot = plotArea();
    const double bar =
        std::log10(static_cast<double>(std::max<int64_t>(1, duration_ns))) * DurationHistogram::kBarsADecade;
    const auto bars = static_cast<double>(std::max<size_t>(1, m_histogram.bars.size()));
    return plot.left() + (bar - m_histogram.first) * plot.width() / bars;
}

void HistogramView::paintScale(QPainter& painter) const
{
    const QRect plot = plotArea();
    const QFontMetrics metrics(font());
    const uint64_t most = std::ranges::max(m_histogram.bars);
    for (const uint64_t count : {uint64_t(0), most}) {
        const int y = count == 0 ? plot.bottom() + 1 : plot.top();
        painter.setPen(m_theme->line);
        painter.drawLine(plot.left(), y, plot.right(), y);
        painter.setPen(m_theme->mutedText);
        const QRect place(0, y - metrics.height() / 2, plot.left() - scaledPixels(4), metrics.height());
        painter.drawText(place, Qt::AlignRight | Qt::AlignVCenter, barCountText(count));
    }
    int free = 0; // x where the next label may begin
    const int last = m_histogram.first + static_cast<int>(m_histogram.bars.size());
    for (int bar = m_histogram.first; bar <= last; ++bar) {
        const int64_t edge_ns = DurationHistogram::edgeOf(bar);
        const bool isDecade = bar % DurationHistogram::kBarsADecade == 0;
        // If no power of ten is in view, the ends are labeled instead.
        const bool isEnd = m_histogram.bars.size() < DurationHistogram::kBarsADecade &&
                           (bar == m_histogram.first || bar == last);
        if (!isDecade && !isEnd) continue;
        const QString text = barTimeText(edge_ns);
        const int width = metrics.horizontalAdvance(text);
        const int x = std::clamp(static_cast<int>(xOf(std::max<int64_t>(1, edge_ns))) - width / 2,
                                 plot.left(), std::max(plot.left(), this->width() - width));
        if (x < free) continue;
        painter.drawText(x, plot.bottom() + 1 + metrics.height(), text);
        free = x + width + scaledPixels(8);
    }
}

void HistogramView::paintLine(QPainter& painter, int64_t duration_ns, const QString& name) const
{
    const QRect plot = plotArea();
    const QFontMetrics metrics(font());
    const int x = std::clamp(static_cast<int>(xOf(duration_ns)), plot.left(), plot.right());
    painter.setPen(QPen(m_theme->text, 1, Qt::DashLine));
    painter.drawLine(x, plot.top() - metrics.ascent(), x, plot.bottom());
    painter.drawText(nameRect(duration_ns, name), Qt::AlignCenter, name);
}

// Returns the place of the name of a line: next to its top, on the side with room.
QRect HistogramView::nameRect(int64_t duration_ns, const QString& name) const
{
    const QRect plot = plotArea();
    const QFontMetrics metrics(font());
    const int x = std::clamp(static_cast<int>(xOf(duration_ns)), plot.left(), plot.right());
    const int width = metrics.horizontalAdvance(name) + scaledPixels(8);
    return {x + width > this->width() ? x - width : x, plot.top() - scaledPixels(3) - metrics.ascent(), width,
            metrics.height()};
}

bool HistogramView::showsP95() const
{
    return !nameRect(m_histogram.median_ns, tr("median")).intersects(nameRect(m_histogram.p95_ns, tr("p95")));
}

void HistogramView::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_theme->window);
    if (m_histogram.bars.empty()) return;
    const int last = m_histogram.first + static_cast<int>(m_histogram.bars.size());
    for (int bar = m_histogram.first; bar < last; ++bar) {
        const bool isOut = m_chosen && (bar < m_chosen->first || bar > m_chosen->second);
        painter.fillRect(rectOfBar(bar), isOut ? mixed(m_color, m_theme->window, 0.6) : m_color);
    }
    paintScale(painter);
    paintLine(painter, m_histogram.median_ns, tr("median"));
    if (showsP95()) paintLine(painter, m_histogram.p95_ns, tr("p95"));
    if (!hasFocus()) return;
    painter.setPen(QPen(m_theme->accent, 1));
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

void HistogramView::choose(int from, int to)
{
    m_chosen = std::minmax(from, to);
    const auto bars = static_cast<int>(m_histogram.bars.size());
    uint64_t count = 0;
    for (int bar = m_chosen->first; bar <= m_chosen->second && bar < m_histogram.first + bars; ++bar)
        count += m_histogram.bars[static_cast<size_t>(bar - m_histogram.first)];
    setAccessibleDescription(tr("Slices from %2 to %3: %1")
                                 .arg(barCountText(count),
                                      barTimeText(DurationHistogram::edgeOf(m_chosen->first)),
                                      barTimeText(DurationHistogram::edgeOf(m_chosen->second + 1))));
    update();
}

void HistogramView::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton || m_histogram.bars.empty()) return;
    m_pressed = barAt(static_cast<int>(event->position().x()));
    choose(*m_pressed, *m_pressed);
}

void HistogramView::mouseMoveEvent(QMouseEvent* event)
{
    if (m_pressed) choose(*m_pressed, barAt(static_cast<int>(event->position().x())));
}

void HistogramView::mouseReleaseEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton || !m_pressed) return;
    m_pressed.reset();
    emit barsChosen(m_chosen->first, m_chosen->second);
}

void HistogramView::keyPressEvent(QKeyEvent* event)
{
    const bool isStep = event->key() == Qt::Key_Left || event->key() == Qt::Key_Right;
    if (isStep && !m_histogram.bars.empty()) {
        const int by = event->key() == Qt::Key_Left ? -1 : 1;
        const int last = m_histogram.first + static_cast<int>(m_histogram.bars.size()) - 1;
        const int at = m_chosen ? std::clamp(m_chosen->second + by, m_histogram.first, last)
                                : (by > 0 ? m_histogram.first : last);
        const bool isWider = (event->modifiers() & Qt::ShiftModifier) != 0 && m_chosen;
        return choose(isWider ? m_chosen->first : at, at);
    }
    const bool isReturn = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (isReturn && m_chosen) {
        emit barsChosen(m_chosen->first, m_chosen->second);
    } else if (event->key() == Qt::Key_Escape && m_chosen) {
        m_chosen.reset();
        m_pressed.reset();
        update();
    } else {
        QWidget::keyPressEvent(event);
    }
}

bool HistogramView::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip || m_histogram.bars.empty()) return QWidget::event(event);
    const auto* const help = static_cast<QHelpEvent*>(event);
    const int bar = barAt(help->pos().x());
    const uint64_t count = m_histogram.bars[static_cast<size_t>(bar - m_histogram.first)];
    QToolTip::showText(help->globalPos(),
                       tr("Slices from %2 to %3: %1. Drag to select.")
                           .arg(barCountText(count), barTimeText(DurationHistogram::edgeOf(bar)),
                                barTimeText(DurationHistogram::edgeOf(bar + 1))),
                       this);
    return true;
}

} // namespace lockstep
