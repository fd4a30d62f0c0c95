// SPDX-License-Identifier: Apache-2.0
#include "ui/run/step_chart.h"

#include <algorithm>

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

#include "core/base/text.h"
#include "ui/charts/chart_painter.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

namespace {

QString secondsText(double seconds)
{
    return QString::fromStdString(durationText({static_cast<int64_t>(seconds * 1e9)}, 1));
}

QString stepTooltip(const StepSpan& step, double seconds)
{
    QStringList lines{(step.end_ns ? StepChart::tr("step %1, %2") : StepChart::tr("step %1, %2 so far"))
                          .arg(step.step)
                          .arg(secondsText(seconds))};
    for (const StepPhase& phase : step.phases) {
        lines << StepChart::tr("%1  %2  %3 % of the step")
                     .arg(QString::fromStdString(phase.name), secondsText(phase.seconds))
                     .arg(seconds > 0 ? phase.seconds / seconds * 100 : 0, 0, 'f', 0);
    }
    if (step.isRecorded) lines << StepChart::tr("recorded");
    return lines.join('\n');
}

} // namespace

StepChart::StepChart(QWidget* parent) : QWidget(parent)
{
    setAccessibleName(tr("Training steps of the run"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void StepChart::setSteps(const std::vector<StepSpan>& steps, int64_t now_ns)
{
    m_steps = steps;
    if (m_steps.size() > kMaxRows) m_steps.erase(m_steps.begin(), m_steps.end() - kMaxRows);
    m_now_ns = now_ns;
    m_longest_s = 0;
    for (const StepSpan& step : m_steps)
        m_longest_s = std::max(m_longest_s, seconds(step));
    updateGeometry();
    update();
}

void StepChart::setTheme(const Theme& theme)
{
    m_theme = &theme;
    update();
}

double StepChart::seconds(const StepSpan& step) const
{
    return static_cast<double>(std::max<int64_t>(0, step.end_ns.value_or(m_now_ns) - step.begin_ns)) / 1e9;
}

int StepChart::rowHeight() const
{
    return scaledPixels(26);
}

QSize StepChart::sizeHint() const
{
    return {scaledPixels(300), std::max(1, static_cast<int>(m_steps.size())) * rowHeight() + scaledPixels(4)};
}

QSize StepChart::minimumSizeHint() const
{
    return {scaledPixels(160), sizeHint().height()};
}

void StepChart::paintRow(QPainter& painter, const StepSpan& step, int top) const
{
    const int left = scaledPixels(60), height = rowHeight() - scaledPixels(5);
    painter.setPen(m_theme->mutedText);
    const QString label = tr("step %1").arg(step.step);
    painter.drawText(QRect(0, top, left, height), Qt::AlignVCenter, label);
    if (step.isRecorded) {
        const double size = scaledPixels(7);
        const double x = std::min(painter.fontMetrics().horizontalAdvance(label) + scaledPixels(4),
                                  left - scaledPixels(9));
        painter.setBrush(m_theme->mutedText);
        painter.setPen(Qt::NoPen);
        painter.drawEllipse(QRectF(x, top + height / 2.0 - size / 2 + 1, size, size));
    }
    const int room = width() - left - 1;
    const double length = seconds(step);
    const auto shade = [&](const QColor& color) {
        return step.isRecorded ? color : mixed(m_theme->panel, color, 0.45);
    };
    const double share = m_longest_s > 0 ? length / m_longest_s : 0;
    const QRect bar(left, top, std::max(2, static_cast<int>(share * room)), height);
    painter.fillRect(bar, shade(m_theme->idle));
    std::vector<BarSegment> phases;
    for (const StepPhase& phase : step.phases)
        phases.push_back(
            {phase.seconds, shade(m_theme->roleColor(phase.role)), QString::fromStdString(phase.name)});
    paintStackedBar(painter, bar, length, phases);
    if (!phases.empty()) return;
    const QString text = step.end_ns ? secondsText(length) : tr("%1 so far").arg(secondsText(length));
    const int padding = scaledPixels(5);
    const bool isInside = painter.fontMetrics().horizontalAdvance(text) + 2 * padding < bar.width();
    painter.setPen(isInside ? textColorOn(shade(m_theme->idle)) : m_theme->mutedText);
    painter.drawText(QRect((isInside ? bar.left() : bar.right() + 1) + padding, top, room, height),
                     Qt::AlignVCenter, text);
}

void StepChart::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(chartFont());
    if (m_steps.empty()) {
        painter.setPen(m_theme->mutedText);
        painter.drawText(rect(), Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap,
                         tr("No steps yet. Steps appear when the program's log or a capture names them."));
        return;
    }
    for (size_t i = 0; i < m_steps.size(); ++i)
        paintRow(painter, m_steps[i], static_cast<int>(i) * rowHeight());
}

bool StepChart::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto* const help = static_cast<QHelpEvent*>(event);
        const auto row = static_cast<size_t>(std::max(0, help->pos().y() / rowHeight()));
        QToolTip::showText(
            help->globalPos(),
            row < m_steps.size() ? stepTooltip(m_steps[row], seconds(m_steps[row])) : QString(), this);
        return true;
    }
    return QWidget::event(event);
}

} // namespace lockstep
