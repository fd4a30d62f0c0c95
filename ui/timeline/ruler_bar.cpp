// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/ruler_bar.h"

#include <cmath>

#include <QContextMenuEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>

#include "core/base/text.h"
#include "core/timeline/pixel_scale.h"
#include "core/timeline/ticks.h"
#include "ui/timeline/fold_painter.h"
#include "ui/timeline/timeline_font.h"

namespace lockstep {

namespace {

constexpr int kTickSpacing = 110;

QFont boldRulerFont(const TimelineState& state)
{
    QFont bold = timelineFont(state.scale());
    bold.setWeight(QFont::DemiBold);
    return bold;
}

// Paints ticks, their labels and, at the first tick, the base time to which the labels are relative. If there
// is no room for the base time, the labels are omitted as well.
void paintRulerTicks(QPainter& painter, const QRect& times, const PixelScale& scale, const TickScale& ticks,
                     const TimelineState& state)
{
    if (ticks.ticks.empty()) return;
    const Theme& theme = *state.theme;
    const QFont font = timelineFont(state.scale()), bold = boldRulerFont(state);
    const QFontMetrics metrics(font);
    int begin = 0, end = scale.width(); // pixels of the part of the axis that contains the ticks
    for (const ScalePart& part : scale.parts()) {
        if (!part.range.contains(ticks.ticks.front().at)) continue;
        begin = part.begin;
        end = part.end;
    }
    const QString base = QString::fromStdString(ticks.baseLabel);
    const int room = times.left() + end - state.px(2);
    const bool hasRoom =
        end == scale.width() || QFontMetrics(bold).horizontalAdvance(base) + state.px(6) < end - begin;
    const int labelBase = times.bottom() - state.px(6);
    painter.setFont(font);
    for (const Tick& tick : ticks.ticks) {
        const int x = times.left() + scale.pixelOf(tick.at);
        const int length = state.px(tick.isMajor ? 7 : 4);
        painter.fillRect(QRect(x, times.bottom() - length, 1, length),
                         tick.isMajor ? theme.mutedText : theme.line);
        if (!tick.isMajor || !hasRoom) continue;
        const QString label = QString::fromStdString(tick.label);
        const bool isCut = x + state.px(4) + metrics.horizontalAdvance(label) > room;
        painter.setPen(theme.mutedText);
        if (!isCut) painter.drawText(x + state.px(4), labelBase, label);
    }
    if (!hasRoom) return;
    painter.setFont(bold);
    painter.setPen(theme.text);
    painter.drawText(times.left() + begin + state.px(4), labelBase - metrics.height(), base);
}

// Paints ticks with the time since the zero of a comparison pane: "+4 ms".
void paintTicksSinceZero(QPainter& painter, const QRect& times, const TimelineState& state)
{
    const Theme& theme = *state.theme;
    const TimeRange visible = state.window.visible();
    const TimeRange since{{(visible.begin - *state.zero).ns}, {(visible.end - *state.zero).ns}};
    if (since.isEmpty()) return;
    const PixelScale scale(since, times.width());
    painter.setFont(timelineFont(state.scale()));
    for (const Tick& tick : ticksFor(since, times.width(), state.px(kTickSpacing)).ticks) {
        const int x = times.left() + scale.pixelOf(tick.at);
        const int length = state.px(tick.isMajor ? 7 : 4);
        painter.fillRect(QRect(x, times.bottom() - length, 1, length),
                         tick.isMajor ? theme.mutedText : theme.line);
        if (!tick.isMajor) continue;
        painter.setPen(theme.mutedText);
        const std::string text =
            (tick.at.ns < 0 ? "\u2212" : "+") + durationText({tick.at.ns < 0 ? -tick.at.ns : tick.at.ns}, 9);
        painter.drawText(x + state.px(4), times.bottom() - state.px(6), QString::fromStdString(text));
    }
}

void paintFoldChips(QPainter& painter, const QRect& times, const TimelineState& state)
{
    painter.setFont(timelineFont(state.scale()));
    for (const FoldChip& chip : foldChips(state, times)) {
        painter.fillRect(chip.rect, state.theme->panel);
        painter.setPen(state.theme->accent);
        painter.drawText(chip.rect, Qt::AlignCenter, chip.text);
    }
}

// Returns the report whose clock the ruler shows, or an invalid key for the axis itself.
ReportKey clockOf(const Scene& scene, const RulerTime& time)
{
    if (time.from != RulerTime::From::report || scene.shown.isEmpty()) return {};
    return scene.shown.has(time.report) ? time.report : scene.shown.keys().front();
}

QString fileOf(const Scene& scene, ReportKey report)
{
    return QString::fromStdString(scene.shown.report(report).provenance.path.filename().string());
}

// Returns the prefix of a label, such as "rank0.sqlite: ".
std::string clockLabel(const Scene& scene, ReportKey report)
{
    return fileOf(scene, report).toStdString() + ": ";
}

// Paints the ticks of the axis, of UTC, or of a report's clock. For a report's clock, the positions of the
// ticks are also computed on that clock.
void paintRulerTimes(QPainter& painter, const QRect& times, const PixelScale& scale,
                     const TimelineState& state, ReportKey clock, std::optional<int64_t> utc)
{
    const PixelScale counted = clock.isValid() ? scale.onClock([&](TimeRange aligned) {
        return state.scene().alignment.map(clock).traceFromAligned(aligned);
    })
                                               : scale;
    for (TickScale& ticks : ticksFor(counted, state.px(kTickSpacing), utc)) {
        if (clock.isValid()) ticks.baseLabel = clockLabel(state.scene(), clock) + ticks.baseLabel;
        paintRulerTicks(painter, times, counted, ticks, state);
    }
}

} // namespace

QString zeroText(const Scene& scene)
{
    const auto& utc = scene.alignment.utcAtZero_ns;
    const auto withDay = [&utc](const QString& text) {
        return utc ? RulerBar::tr("%1 (%2 UTC)").arg(text, QString::fromStdString(utcTimeText(*utc))) : text;
    };
    for (const ReportKey key : scene.shown.keys()) {
        const ClockMap& map = scene.alignment.map(key);
        const Report& report = scene.shown.report(key);
        if (map.alignedFromTrace(TraceTime{0}) == TraceTime{0})
            return withDay(RulerBar::tr("the clock zero of %1").arg(fileOf(scene, key)));
        if (map.alignedFromTrace(report.extent.begin) == TraceTime{0})
            return withDay(RulerBar::tr("the first timestamp of %1").arg(fileOf(scene, key)));
    }
    const TraceTime first = scene.extent().begin;
    return withDay(
        RulerBar::tr("%1 before the first timestamp").arg(durationText(first - TraceTime{0}).c_str()));
}

void paintRuler(QPainter& painter, const QRect& area, const TimelineState& state, const RulerTime& time)
{
    const Theme& theme = *state.theme;
    painter.fillRect(area, theme.window);
    painter.fillRect(QRect(area.left(), area.bottom(), area.width(), 1), theme.line);
    const int left = area.left() + state.px(state.headerWidth);
    const int width = area.right() + 1 - left;
    if (width <= 0) return;
    const PixelScale scale = state.window.scale(width);
    const ReportKey clock = clockOf(state.scene(), time);
    const auto utc = time.from == RulerTime::From::utc ? state.scene().alignment.utcAtZero_ns : std::nullopt;
    const QRect times(left, area.top(), width, area.height());
    painter.setClipRect(times);
    paintFolds(painter, times.adjusted(0, 0, 0, -1), scale, theme, state.scale());
    if (state.selection().range) {
        QColor shade = theme.accent;
        shade.setAlphaF(0.16f);
        const int begin = scale.pixelOf(state.selection().range->begin),
                  end = scale.pixelOf(state.selection().range->end);
        const QRect selected(left + begin, area.top(), std::max(1, end - begin), area.height() - 1);
        painter.fillRect(selected, shade);
        painter.fillRect(QRect(selected.left(), area.top(), 1, area.height()), theme.accent);
        painter.fillRect(QRect(selected.right(), area.top(), 1, area.height()), theme.accent);
    }
    if (state.zero) {
        paintTicksSinceZero(painter, times, state);
    } else {
        paintRulerTimes(painter, times, scale, state, clock, utc);
    }
    paintFoldChips(painter, times, state);
    const QFontMetrics metrics(timelineFont(state.scale()));
    const int topBase = area.bottom() - state.px(6) - metrics.height();
    painter.setFont(boldRulerFont(state));
    if (state.selection().range && !state.selection().range->isEmpty()) {
        const QString length = QString::fromStdString(durationText(state.selection().range->length()));
        const int begin = scale.pixelOf(state.selection().range->begin),
                  end = scale.pixelOf(state.selection().range->end);
        const int textWidth = metrics.horizontalAdvance(length) + state.px(8);
        const int x =
            std::clamp(left + (begin + end - textWidth) / 2, left, std::max(left, area.right() - textWidth));
        painter.fillRect(QRect(x, area.top(), textWidth, metrics.height() + 1), theme.window);
        painter.setPen(theme.accent);
        painter.drawText(x + state.px(4), topBase, length);
    }
    painter.setClipping(false);
    painter.fillRect(QRect(left - 1, area.top(), 1, area.height()), theme.line);
}

RulerBar::RulerBar(const TimelineState& state, QWidget* parent) : QWidget(parent), m_state(state)
{
    setMouseTracking(true);
    setAttribute(Qt::WA_OpaquePaintEvent);
    setAccessibleName(tr("Time ruler"));
    setToolTip(tr("Drag to select a time range. Right-click to choose the time axis."));
}

void RulerBar::setTime(const RulerTime& time)
{
    m_time = time;
    update();
}

RulerTime RulerBar::nextTime() const
{
    const bool hasUtc = m_state.scene().alignment.utcAtZero_ns.has_value();
    if (m_time.from == RulerTime::From::zero && hasUtc) return {RulerTime::From::utc};
    if (m_time.from != RulerTime::From::report && !m_state.scene().shown.isEmpty())
        return {RulerTime::From::report, m_time.report};
    return {};
}

void RulerBar::contextMenuEvent(QContextMenuEvent* event)
{
    // Maximum number of clocks in the menu; the user can hide reports to reach the others.
    constexpr size_t kMaxClocks = 40;
    const Scene& scene = m_state.scene();
    auto* const menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setObjectName("rulerMenu");
    menu->addSection(tr("Time axis"));
    const auto add = [&](QMenu& in, const QString& text, const RulerTime& time) {
        QAction* const action = in.addAction(text, this, [this, time] { emit timeChosen(time); });
        action->setCheckable(true);
        action->setChecked(m_time.from == time.from && clockOf(scene, m_time) == clockOf(scene, time));
        return action;
    };
    add(*menu, tr("Time since %1").arg(zeroText(scene)), {});
    QAction* const utc = add(*menu, tr("Time of day (UTC)"), {RulerTime::From::utc});
    utc->setEnabled(scene.alignment.utcAtZero_ns.has_value());
    if (!utc->isEnabled()) utc->setText(tr("Time of day (not recorded in the visible reports)"));
    const auto keys = scene.shown.keys();
    if (keys.size() == 1) {
        add(*menu, tr("Clock of %1").arg(fileOf(scene, keys.front())),
            {RulerTime::From::report, keys.front()});
    } else if (!keys.empty()) {
        QMenu* const clocks = menu->addMenu(tr("Clock of report"));
        for (size_t i = 0; i < std::min(keys.size(), kMaxClocks); ++i)
            add(*clocks, fileOf(scene, keys[i]), {RulerTime::From::report, keys[i]});
        if (keys.size() > kMaxClocks)
            clocks->addAction(tr("and %1 more").arg(keys.size() - kMaxClocks))->setEnabled(false);
    }
    menu->popup(event->globalPos());
}

void RulerBar::setCursorTime(std::optional<TraceTime> aligned)
{
    if (m_cursor == aligned) return;
    m_cursor = aligned;
    update();
}

QSize RulerBar::sizeHint() const
{
    return {400, static_cast<int>(std::lround(kRulerHeight * m_state.scale() / devicePixelRatioF()))};
}

TraceTime RulerBar::timeAt(double x) const
{
    const double left = m_state.px(m_state.headerWidth);
    const int width = std::max(1, static_cast<int>(this->width() * devicePixelRatioF() - left));
    return m_state.window.scale(width).startOf(static_cast<int>(x * devicePixelRatioF() - left));
}

void RulerBar::paintEvent(QPaintEvent*)
{
    const double ratio = devicePixelRatioF();
    QPainter painter(this);
    painter.scale(1 / ratio, 1 / ratio);
    const QRect area(0, 0, static_cast<int>(width() * ratio), static_cast<int>(height() * ratio));
    paintRuler(painter, area, m_state, m_time);
    if (!m_cursor || !m_state.window.visible().contains(*m_cursor)) return;
    const int left = m_state.px(m_state.headerWidth);
    const int x = left + m_state.window.scale(std::max(1, area.width() - left)).pixelOf(*m_cursor);
    painter.fillRect(QRect(x, area.height() - m_state.px(10), 1, m_state.px(10)), m_state.theme->accent);
}

void RulerBar::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton) return event->ignore();
    m_dragFrom.reset();
    if (pressGap(event->position())) return;
    m_dragFrom = timeAt(event->position().x());
    emit rangeDragged({*m_dragFrom, *m_dragFrom});
}

bool RulerBar::pressGap(QPointF at)
{
    const double ratio = devicePixelRatioF();
    const QPoint point = (at * ratio).toPoint();
    const int left = m_state.px(m_state.headerWidth);
    const QRect times(left, 0, std::max(1, static_cast<int>(width() * ratio) - left),
                      static_cast<int>(height() * ratio));
    for (const FoldChip& chip : foldChips(m_state, times)) {
        if (!chip.rect.contains(point)) continue;
        emit gapPressed(chip.gap, false);
        return true;
    }
    const PixelScale scale = m_state.window.scale(times.width());
    for (const ScalePart& part : scale.parts()) {
        if (!part.isFolded() || point.x() < left + part.begin || point.x() >= left + part.end) continue;
        emit gapPressed(part.gap, true);
        return true;
    }
    return false;
}

void RulerBar::mouseMoveEvent(QMouseEvent* event)
{
    if (!(event->buttons() & Qt::LeftButton) || !m_dragFrom) return;
    const TraceTime to = timeAt(event->position().x());
    emit rangeDragged({std::min(*m_dragFrom, to), std::max(*m_dragFrom, to)});
}

void RulerBar::wheelEvent(QWheelEvent* event)
{
    emit zoomRequested(timeAt(event->position().x()), std::pow(0.85, event->angleDelta().y() / 120.0));
    event->accept();
}

} // namespace lockstep
