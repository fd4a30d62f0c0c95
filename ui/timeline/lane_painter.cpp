// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/lane_painter.h"

#include <algorithm>
#include <cmath>

#include <QPainterPath>
#include <QRegion>

#include "core/timeline/lane_kind.h"
#include "core/timeline/pixel_scale.h"
#include "ui/timeline/fold_painter.h"
#include "ui/timeline/highlight_painter.h"
#include "ui/timeline/span_raster.h"
#include "ui/timeline/timeline_font.h"

namespace lockstep {

namespace {

QString textOf(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

// Returns the x position of an aligned time, which may be outside the view.
int xOf(const DisplayList& list, TraceTime t)
{
    return list.headerWidth + list.scale.pixelOf(t);
}

// Returns the parts of the time area that show times, from top to bottom: all but the controls above rank
// maps.
std::vector<QRect> timeAreas(const DisplayList& list)
{
    const QRect all(list.headerWidth, 0, list.timeWidth(), list.size.height);
    const QRect pinned(all.left(), 0, all.width(), list.pinnedHeight);
    QRegion region(all);
    for (const DisplayLane& lane : list.lanes) {
        const QRect controls(all.left(), lane.y, all.width(), lane.kind->controlsHeight(list.metrics));
        region -= lane.isPinned ? controls & pinned : controls & all.adjusted(0, list.pinnedHeight, 0, 0);
    }
    return {region.begin(), region.end()};
}

} // namespace

LanePainter::LanePainter(const Theme& theme, double scale, Workers workers)
    : m_theme(theme), m_scale(scale), m_workers(std::move(workers)), m_palette(theme, scale),
      m_font(timelineFont(scale)), m_texts(theme, m_palette, scale), m_labels(m_font)
{
}

int LanePainter::px(double atScaleOne) const
{
    return static_cast<int>(std::lround(atScaleOne * m_scale));
}

void LanePainter::paint(QImage& image, const DisplayList& list, const LaneTree& tree,
                        uint32_t focusedLane) const
{
    for (const bool pinned : {false, true}) {
        if (pinned && list.pinnedHeight == 0) break;
        {
            QPainter painter(&image);
            paintBackground(painter, list, pinned, list.size.width);
        }
        rasterRows(image, list, m_palette, pinned, m_workers);
        m_labels.raster(image, list, m_palette, pinned, m_workers);
        QPainter painter(&image);
        paintBand(painter, list, tree, pinned);
    }
    QPainter painter(&image);
    paintOverlay(painter, list);
    paintFocus(painter, list, focusedLane);
}

void LanePainter::paintHeaders(QImage& image, const DisplayList& list, const LaneTree& tree,
                               uint32_t focusedLane) const
{
    QPainter painter(&image);
    for (const bool pinned : {false, true}) {
        if (pinned && list.pinnedHeight == 0) break;
        paintBackground(painter, list, pinned, list.headerWidth - 1);
        paintHeaderBand(painter, list, tree, pinned);
    }
    painter.setClipping(false);
    paintFocus(painter, list, focusedLane);
}

void LanePainter::paintFocus(QPainter& painter, const DisplayList& list, uint32_t focusedLane) const
{
    for (const DisplayLane& lane : list.lanes) {
        if (lane.lane != focusedLane) continue;
        painter.setPen(QPen(m_theme.accent, px(1.5)));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(QRect(1, lane.y, list.headerWidth - 3, lane.height - 1));
    }
}

void LanePainter::paint(QPainter& painter, const DisplayList& list, const LaneTree& tree) const
{
    for (const bool pinned : {false, true}) {
        if (pinned && list.pinnedHeight == 0) break;
        paintBackground(painter, list, pinned, list.size.width);
        // Vector images do not support clipping, so every shape is cut to the band.
        const QRect band(list.headerWidth, pinned ? 0 : list.pinnedHeight, list.timeWidth(),
                         pinned ? list.pinnedHeight : list.size.height - list.pinnedHeight);
        for (const DisplayRow& row : list.rows) {
            if (row.isPinned == pinned) paintShapes(painter, row, list, band);
        }
        painter.setClipRect(QRect(0, band.top(), list.size.width, band.height()));
        painter.setFont(m_font);
        for (const DisplayRow& row : list.rows) {
            if (row.isPinned == pinned && !row.text.empty()) paintLabels(painter, row, list);
        }
        paintBand(painter, list, tree, pinned);
    }
    paintOverlay(painter, list);
}

void LanePainter::paintBackground(QPainter& painter, const DisplayList& list, bool pinned, int width) const
{
    const int top = pinned ? 0 : list.pinnedHeight;
    const int bottom = pinned ? list.pinnedHeight : list.size.height;
    painter.fillRect(QRect(0, top, width, bottom - top), pinned ? m_theme.panel : m_theme.lane);
    painter.setClipRect(QRect(0, top, width, bottom - top));
    for (const DisplayLane& lane : list.lanes) {
        if (lane.isPinned != pinned || !lane.isAlternate) continue;
        painter.fillRect(QRect(0, lane.y, width, lane.height), m_theme.laneAlternate);
    }
    painter.setClipping(false);
}

void LanePainter::paintBand(QPainter& painter, const DisplayList& list, const LaneTree& tree,
                            bool pinned) const
{
    const int top = pinned ? 0 : list.pinnedHeight;
    const int bottom = pinned ? list.pinnedHeight : list.size.height;
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setClipRect(QRect(0, top, list.size.width, bottom - top));
    painter.setFont(m_font);
    for (const DisplayRow& row : list.rows) {
        if (row.isPinned == pinned && !row.text.empty()) paintAreaLabels(painter, row, list);
    }
    paintHeaderBand(painter, list, tree, pinned);
    painter.setClipRect(QRect(list.headerWidth, top, list.timeWidth(), bottom - top));
    for (const DisplayLane& lane : list.lanes) {
        if (lane.isPinned == pinned) m_texts.paint(painter, lane);
    }
    for (const DisplayFlag& flag : list.flags) {
        if (flag.isPinned == pinned) m_texts.paint(painter, flag, list.metrics);
    }
    painter.setClipping(false);
    painter.fillRect(QRect(list.headerWidth - 1, top, 1, bottom - top), m_theme.line);
    if (pinned) painter.fillRect(QRect(0, bottom - 1, list.size.width, 1), m_theme.line);
}

void LanePainter::paintHeaderBand(QPainter& painter, const DisplayList& list, const LaneTree& tree,
                                  bool pinned) const
{
    const int top = pinned ? 0 : list.pinnedHeight;
    const int bottom = pinned ? list.pinnedHeight : list.size.height;
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setClipRect(QRect(0, top, list.headerWidth - 1, bottom - top));
    for (const DisplayLane& lane : list.lanes) {
        if (lane.isPinned != pinned) continue;
        paintHeader(painter, lane, tree.lane(lane.lane), list);
        m_texts.paint(painter, lane);
    }
}

void LanePainter::paintHeader(QPainter& painter, const DisplayLane& lane, const Lane& of,
                              const DisplayList& list) const
{
    const FrameMetrics& metrics = list.metrics;
    const int rowHeight = std::min(lane.height, lane.rowHeight > 0 ? lane.rowHeight + metrics.line : px(21));
    if (lane.isInArea) {
        QColor tint = m_theme.accent;
        tint.setAlphaF(m_theme.isDark ? 0.22f : 0.14f);
        painter.fillRect(QRect(0, lane.y, list.headerWidth - 1, lane.height), tint);
    }
    if (!of.role.empty() || of.subject != LaneSubject::group) {
        const int inset = lane.isGroup ? px(2) : 0;
        painter.fillRect(QRect(metrics.stripeLeft, lane.y + inset, metrics.stripe, lane.height - inset),
                         m_theme.roleColor(of.role));
    }
    int x = lane.indent;
    if (lane.hasTriangle) {
        painter.setRenderHint(QPainter::Antialiasing, true);
        const double c = lane.y + rowHeight / 2.0, r = 3.6 * m_scale, left = x + 2.0 * m_scale;
        QPolygonF triangle;
        if (lane.isCollapsed) {
            triangle << QPointF(left + r * 0.3, c - r) << QPointF(left + r * 1.5, c)
                     << QPointF(left + r * 0.3, c + r);
        } else {
            triangle << QPointF(left, c - r * 0.6) << QPointF(left + 2 * r, c - r * 0.6)
                     << QPointF(left + r, c + r * 0.7);
        }
        painter.setPen(Qt::NoPen);
        painter.setBrush(lane.isGroup ? m_theme.text : m_theme.mutedText);
        painter.drawPolygon(triangle);
        painter.setRenderHint(QPainter::Antialiasing, false);
    }
    x += metrics.triangle;
    const QRect text(x, lane.y, list.headerWidth - x - metrics.headerPadding,
                     of.subject == LaneSubject::counter ? lane.height : rowHeight);
    painter.setFont(lane.isGroup ? m_texts.boldFont() : m_font);
    painter.setPen(lane.kind->isProblem() ? m_theme.bad : m_theme.text);
    painter.drawText(text, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, textOf(lane.label));
    if (lane.value.empty()) return;
    painter.setFont(m_font);
    painter.setPen(lane.isWarning ? m_theme.warn : lane.isHitCount ? m_theme.accent : m_theme.mutedText);
    painter.drawText(text, Qt::AlignRight | Qt::AlignVCenter | Qt::TextSingleLine, textOf(lane.value));
}

void LanePainter::paintLabels(QPainter& painter, const DisplayRow& row, const DisplayList& list) const
{
    const QFontMetrics metrics(m_font);
    const int baseline = row.y + (row.height - metrics.height()) / 2 + metrics.ascent();
    QRgb pen = 0;
    for (const SliceBox& box : row.boxes) {
        if (box.labelLength == 0) continue;
        const QRgb color = m_palette.text(box);
        if (color != pen) painter.setPen(QColor(color));
        pen = color;
        painter.drawText(list.headerWidth + box.begin + list.metrics.labelPadding, baseline,
                         textOf(row.labelOf(box)));
    }
}

void LanePainter::paintAreaLabels(QPainter& painter, const DisplayRow& row, const DisplayList& list) const
{
    const QFontMetrics metrics(m_font);
    for (const RowLabel& label : row.labels) {
        const QString text = textOf(std::string_view(row.text).substr(label.label, label.labelLength));
        painter.setPen(QColor(m_palette.textOn(label.on)));
        painter.drawText(list.headerWidth + label.x - metrics.horizontalAdvance(text) / 2,
                         row.y + label.y + (metrics.ascent() - metrics.descent()) / 2, text);
    }
}

void LanePainter::paintOverlay(QPainter& painter, const DisplayList& list) const
{
    // Collapsed gaps are painted over the rows, but not over controls. Their length is shown once.
    const std::vector<QRect> areas = timeAreas(list);
    for (const QRect& area : areas) {
        painter.setClipRect(area);
        paintFolds(painter, area, list.scale, m_theme, m_scale);
    }
    painter.setClipRect(QRect(list.headerWidth, 0, list.timeWidth(), list.size.height));
    const auto tallest = std::ranges::max_element(areas, {}, &QRect::height);
    if (tallest != areas.end()) paintFoldLengths(painter, *tallest, list.scale, m_theme, m_scale);
    if (list.isHighlighted) dimAllButHighlighted(painter, list, m_theme);
    if (list.isDimmed && !list.isHighlighted) paintAreas(painter, list);
    if (list.selectedRange) paintRange(painter, list);
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setBrush(Qt::NoBrush);
    for (const DisplayMark& mark : list.marks) {
        const int line = std::max(1, px(mark.isSelected ? 2 : 1));
        const auto draw = [&](const QColor& color, int inset) {
            QPen pen(color, line);
            pen.setJoinStyle(Qt::MiterJoin);
            painter.setPen(pen);
            const int near = inset + line / 2, far = inset + (line + 1) / 2;
            painter.drawRect(QRect(mark.x, mark.y, mark.width, mark.height).adjusted(near, near, -far, -far));
        };
        if (mark.hasHalo && std::min(mark.width, mark.height) > 4 * line) draw(m_theme.lane, line);
        draw(mark.isSelected ? m_theme.selection : m_theme.accent, 0);
    }
    paintLinks(painter, list);
    painter.setClipping(false);
}

// Frames each area selection and dims everything outside the areas by half.
void LanePainter::paintAreas(QPainter& painter, const DisplayList& list) const
{
    const QRect times(list.headerWidth, 0, list.timeWidth(), list.size.height);
    const QRect pinned(0, 0, list.size.width, list.pinnedHeight);
    const QRect scrolling = times.adjusted(0, list.pinnedHeight, 0, 0);
    QRegion dimmed(times);
    for (const DisplayArea& area : list.areas)
        dimmed -= QRect(area.x, area.y, area.width, area.height) & (area.isPinned ? pinned : scrolling);
    QColor wash = m_theme.window;
    wash.setAlphaF(m_theme.isDark ? 0.50f : 0.52f);
    for (const QRect& rect : dimmed)
        painter.fillRect(rect, wash);
    const int line = std::max(1, px(1));
    for (const DisplayArea& area : list.areas) {
        const QRect clip = area.isPinned ? times & pinned : scrolling;
        const QRect frame(area.x, area.y, area.width, area.height);
        const auto side = [&](const QRect& rect) { painter.fillRect(rect & clip, m_theme.selection); };
        side({frame.left(), frame.top(), frame.width(), line});
        side({frame.left(), frame.bottom() - line + 1, frame.width(), line});
        side({frame.left(), frame.top(), line, frame.height()});
        side({frame.right() - line + 1, frame.top(), line, frame.height()});
    }
}

// A range whose ends cannot be ordered within the clock error is drawn hollow, between dashed lines.
void LanePainter::paintRange(QPainter& painter, const DisplayList& list) const
{
    const int left = xOf(list, list.selectedRange->begin), right = xOf(list, list.selectedRange->end);
    QColor shade = m_theme.accent;
    shade.setAlphaF(m_theme.isDark ? 0.16f : 0.12f);
    const bool hasFrame = list.isDimmed && !list.isMeasureUndecided; // the areas already show the range
    if (!list.isMeasureUndecided && !list.isDimmed)
        painter.fillRect(QRect(left, 0, std::max(1, right - left), list.size.height), shade);
    painter.setPen(QPen(m_theme.accent, 1, list.isMeasureUndecided ? Qt::DashLine : Qt::SolidLine));
    if (!hasFrame) painter.drawLine(left, 0, left, list.size.height);
    if (!hasFrame)
        painter.drawLine(std::max(left, right - 1), 0, std::max(left, right - 1), list.size.height);
    if (list.measure.empty()) return;
    const QString text = QString::fromStdString(list.measure);
    painter.setFont(m_font);
    const int width = painter.fontMetrics().horizontalAdvance(text) + px(12), height = px(18);
    const int middle = (std::max(left, list.headerWidth) + std::min(right, list.size.width)) / 2;
    const int maxLeft = std::max(list.headerWidth, list.size.width - width - px(2));
    const QRect label(std::clamp(middle - width / 2, list.headerWidth, maxLeft), px(4), width, height);
    painter.setBrush(m_theme.panel);
    painter.drawRoundedRect(label, px(3), px(3));
    painter.setPen(m_theme.text);
    painter.drawText(label, Qt::AlignCenter, text);
}

void LanePainter::paintLinks(QPainter& painter, const DisplayList& list) const
{
    painter.setRenderHint(QPainter::Antialiasing, true);
    painter.setBrush(Qt::NoBrush);
    for (const DisplayLink& link : list.links) {
        const QPointF from(link.x0, link.y0), to(link.x1, link.y1);
        const double bend = std::clamp(std::abs(to.x() - from.x()) / 2, 12.0 * m_scale, 120.0 * m_scale);
        QPainterPath path(from);
        path.cubicTo(from + QPointF(bend, 0), to - QPointF(bend, 0), to);
        painter.setPen(
            QPen(m_theme.selection, 1.4 * m_scale, link.isUndecided ? Qt::DashLine : Qt::SolidLine));
        painter.drawPath(path);
        const double r = 3.0 * m_scale;
        QPainterPath arrowHead(to);
        arrowHead.lineTo(to + QPointF(-2 * r, -r));
        arrowHead.lineTo(to + QPointF(-2 * r, r));
        arrowHead.closeSubpath();
        if (!link.isUndecided) {
            painter.fillPath(arrowHead, m_theme.selection);
            continue;
        }
        painter.setPen(QPen(m_theme.selection, m_scale));
        painter.drawPath(arrowHead);
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
}

void LanePainter::paintShapes(QPainter& painter, const DisplayRow& row, const DisplayList& list,
                              const QRect& band) const
{
    if (const HeatMap* const heat = row.kind->heat(row)) {
        const QRect area(list.headerWidth, row.y, heat->width, row.height);
        const QRect visible = area.intersected(band);
        const QImage image = heatImage(*heat, row.height, list.metrics, m_palette);
        painter.drawImage(visible.topLeft(), image.copy(visible.translated(-area.topLeft())));
    }
    for (const Span& span : row.spans) {
        const QRect rect(list.headerWidth + span.begin, row.y + span.top, span.end - span.begin,
                         span.bottom - span.top);
        QColor color(m_palette.color(span.ink));
        if (SlicePalette::isHatch(span.ink.kind)) {
            paintPixels(painter, rect.intersected(band), rect.topLeft(), color,
                        [this](int x, int y) { return m_palette.isHatched(x, y); });
            continue;
        }
        color.setAlpha(span.ink.part);
        painter.fillRect(rect.intersected(band), color);
        const auto pattern = m_palette.pattern(span.ink);
        if (pattern == SlicePalette::Pattern::none) continue;
        QColor mark(m_palette.mark(span.ink));
        mark.setAlpha(span.ink.part);
        paintPixels(painter, rect.intersected(band), QPoint(list.headerWidth, row.y), mark,
                    [this, pattern](int x, int y) { return m_palette.isMarked(pattern, x, y); });
    }
}

// Produces the same pixels as the raster image.
void LanePainter::paintPixels(QPainter& painter, const QRect& area, QPoint corner, const QColor& color,
                              const std::function<bool(int, int)>& isOn) const
{
    QPainterPath path;
    for (int y = area.top(); y <= area.bottom(); ++y) {
        for (int x = area.left(); x <= area.right(); ++x) {
            const int begin = x;
            while (x <= area.right() && isOn(x - corner.x(), y - corner.y()))
                ++x;
            if (x > begin) path.addRect(QRect(begin, y, x - begin, 1));
        }
    }
    painter.fillPath(path, color);
}

} // namespace lockstep
