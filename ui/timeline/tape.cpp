// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/tape.h"

#include <QObject>
#include <QPainter>

#include "core/base/text.h"
#include "core/timeline/measure.h"
#include "core/timeline/pixel_scale.h"
#include "ui/timeline/timeline_font.h"

namespace lockstep {

namespace {

QString distanceOf(const Scene& scene, const EdgePoint& first, const EdgePoint& second)
{
    const Duration length{std::abs((second.aligned - first.aligned).ns)};
    const ReportKey from = first.track.report, to = second.track.report;
    const bool isKnown = (!from.isValid() || scene.shown.has(from)) && (!to.isValid() || scene.shown.has(to));
    if (!isKnown) return QObject::tr("%1 (a report is not visible)").arg(durationText(length).c_str());
    const Measure measure = measureBetween(scene.alignment, from, to, length);
    return QString::fromStdString(measure.why.empty() ? measure.text : measure.text + ", " + measure.why);
}

} // namespace

std::optional<TimeRange> Tape::range() const
{
    if (!first || !second) return std::nullopt;
    return TimeRange{std::min(first->aligned, second->aligned), std::max(first->aligned, second->aligned)};
}

QString Tape::text(const Scene& scene) const
{
    if (!first) return isOn ? QObject::tr("Measure: click the first point. Press Esc to cancel.") : QString();
    const QString from = QString::fromStdString(edgeText(scene, *first));
    if (!second)
        return QObject::tr("Measure from %1: click the second point (, and . move the first point)")
            .arg(from);
    return QString("%1: %2 \u2192 %3")
        .arg(distanceOf(scene, *first, *second), from, QString::fromStdString(edgeText(scene, *second)));
}

void paintTape(QPainter& painter, const QRect& lanes, const TimelineState& state, const Tape& tape)
{
    if (!tape.first) return;
    const int left = lanes.left() + state.px(state.headerWidth), line = std::max(1, state.px(1));
    const PixelScale scale = state.window.scale(std::max(1, lanes.right() + 1 - left));
    const Theme& theme = *state.theme;
    const auto xOf = [&](const EdgePoint& end) { return left + scale.pixelOf(end.aligned); };
    painter.setClipRect(QRect(left, lanes.top(), lanes.right() + 1 - left, lanes.height()));
    for (const auto& end : {tape.first, tape.second}) {
        if (end && state.window.visible().contains(end->aligned))
            painter.fillRect(QRect(xOf(*end), lanes.top(), line, lanes.height()), theme.bad);
    }
    if (tape.second) {
        const auto [begin, end] = std::minmax({xOf(*tape.first), xOf(*tape.second)});
        const int y = lanes.top() + state.px(14);
        painter.fillRect(QRect(begin, y, std::max(line, end - begin), line), theme.bad);
        const QFont font = timelineFont(state.scale());
        const QFontMetrics metrics(font);
        const QString text = distanceOf(state.scene(), *tape.first, *tape.second);
        const int width = metrics.horizontalAdvance(text) + state.px(12);
        const int maxLeft = std::max(left, lanes.right() - width);
        const QRect chip(std::clamp((begin + end - width) / 2, left, maxLeft),
                         y - metrics.height() / 2 - line, width, metrics.height() + state.px(4));
        painter.fillRect(chip, theme.window);
        painter.setPen(theme.bad);
        painter.drawRect(chip.adjusted(0, 0, -1, -1));
        painter.setFont(font);
        painter.setPen(theme.text);
        painter.drawText(chip, Qt::AlignCenter, text);
    }
    painter.setClipping(false);
}

} // namespace lockstep
