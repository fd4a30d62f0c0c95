#include "ui/timeline/lane_painter.h"

#include <cmath>

#include <QPainterPath>

#include "core/timeline/pixel_scale.h"
#include "ui/timeline/row_raster.h"
#include "ui/timeline/timeline_font.h"

namespace lockstep {

namespace {

QString textOf(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

// x in the area, for an aligned time that may lie outside the view.
int xOf(const DisplayList& list, TraceTime t)
{
    return list.headerWidth + PixelScale(list.visible, list.timeWidth()).pixelOf(t);
}

} // namespace

LanePainter::LanePainter(const Theme& theme, double scale)
    : m_theme(theme), m_scale(scale), m_palette(theme), m_font(timelineFont(scale)), m_boldFont(m_font)
{
    m_boldFont.setWeight(QFont::DemiBold);
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
            paintBackground(painter, list, pinned);
        }
        rasterRows(image, list, m_palette, m_theme, pinned);
        QPainter painter(&image);
        paintBand(painter, list, tree, pinned);
    }
    QPainter painter(&image);
    paintOverlay(painter, list);
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
        paintBackground(painter, list, pinned);
        painter.save();
        painter.setClipRect(QRect(list.headerWidth, pinned ? 0 : list.pinnedHeight, list.timeWidth(),
                                  pinned ? list.pinnedHeight : list.size.height - list.pinnedHeight));
        for (const DisplayRow& row : list.rows) {
            if (row.isPinned == pinned) paintShapes(painter, row, list.headerWidth);
        }
        painter.restore();
        paintBand(painter, list, tree, pinned);
    }
    paintOverlay(painter, list);
}

void LanePainter::paintBackground(QPainter& painter, const DisplayList& list, bool pinned) const
{
    const int top = pinned ? 0 : list.pinnedHeight;
    const int bottom = pinned ? list.pinnedHeight : list.size.height;
    painter.fillRect(QRect(0, top, list.size.width, bottom - top), pinned ? m_theme.panel : m_theme.lane);
    painter.setClipRect(QRect(0, top, list.size.width, bottom - top));
    for (const DisplayLane& lane : list.lanes) {
        if (lane.isPinned != pinned || !lane.isAlternate) continue;
        painter.fillRect(QRect(0, lane.y, list.size.width, lane.height), m_theme.laneAlternate);
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
        if (row.isPinned == pinned && !row.text.empty()) paintLabels(painter, row, list.headerWidth);
    }
    painter.setClipRect(QRect(0, top, list.headerWidth, bottom - top));
    for (const DisplayLane& lane : list.lanes) {
        if (lane.isPinned == pinned) paintHeader(painter, lane, tree.lane(lane.lane), list.headerWidth);
    }
    painter.setClipping(false);
    painter.fillRect(QRect(list.headerWidth - 1, top, 1, bottom - top), m_theme.line);
    if (pinned) painter.fillRect(QRect(0, bottom - 1, list.size.width, 1), m_theme.line);
}

void LanePainter::paintHeader(QPainter& painter, const DisplayLane& lane, const Lane& of,
                              int headerWidth) const
{
    const int rowHeight = std::min(lane.height, px(21));
    if (!of.role.empty() || of.kind != LaneKind::group) {
        const int inset = lane.isGroup ? px(2) : 0;
        painter.fillRect(QRect(px(5), lane.y + inset, px(3), lane.height - inset),
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
    x += px(14);
    const bool isWarning = of.kind == LaneKind::dataLoss;
    const QRect text(x, lane.y, headerWidth - x - px(8),
                     of.kind == LaneKind::counter ? lane.height : rowHeight);
    painter.setFont(lane.isGroup ? m_boldFont : m_font);
    painter.setPen(isWarning ? m_theme.bad : m_theme.text);
    painter.drawText(text, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, textOf(lane.label));
    if (lane.value.empty()) return;
    painter.setFont(m_font);
    painter.setPen(lane.isWarning ? m_theme.warn : m_theme.mutedText);
    painter.drawText(text, Qt::AlignRight | Qt::AlignVCenter | Qt::TextSingleLine, textOf(lane.value));
}

void LanePainter::paintLabels(QPainter& painter, const DisplayRow& row, int headerWidth) const
{
    const QFontMetrics metrics(m_font);
    const int top = row.y + (row.height - metrics.height()) / 2;
    QRgb pen = 0;
    for (const SliceBox& box : row.boxes) {
        if (box.labelLength == 0) continue;
        const QRgb color = m_palette.text(box);
        if (color != pen) painter.setPen(QColor(color));
        pen = color;
        painter.drawStaticText(headerWidth + box.begin + 4, top, preparedLabel(row.labelOf(box)));
    }
}

const QStaticText& LanePainter::preparedLabel(std::string_view label) const
{
    constexpr size_t kMostLabels = 8'192;
    if (m_labels.size() > kMostLabels) m_labels.clear();
    const auto [entry, isNew] = m_labels.try_emplace(std::string(label));
    if (isNew) {
        entry->second.setText(textOf(label));
        entry->second.setTextFormat(Qt::PlainText);
        entry->second.setPerformanceHint(QStaticText::AggressiveCaching);
        entry->second.prepare(QTransform(), m_font);
    }
    return entry->second;
}

void LanePainter::paintOverlay(QPainter& painter, const DisplayList& list) const
{
    painter.setClipRect(QRect(list.headerWidth, 0, list.timeWidth(), list.size.height));
    if (list.selectedRange) paintRange(painter, list);
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setBrush(Qt::NoBrush);
    for (const DisplayMark& mark : list.marks) {
        const int line = std::max(1, px(mark.isSelected ? 2 : 1));
        QPen pen(mark.isSelected ? m_theme.selection : m_theme.accent, line);
        pen.setJoinStyle(Qt::MiterJoin);
        painter.setPen(pen);
        painter.drawRect(QRect(mark.x, mark.y, mark.width, mark.height)
                             .adjusted(line / 2, line / 2, -(line + 1) / 2, -(line + 1) / 2));
    }
    paintLinks(painter, list);
    painter.setClipping(false);
}

// A range whose ends no clock can order is drawn hollow, between dashed lines.
void LanePainter::paintRange(QPainter& painter, const DisplayList& list) const
{
    const int left = xOf(list, list.selectedRange->begin), right = xOf(list, list.selectedRange->end);
    QColor shade = m_theme.accent;
    shade.setAlphaF(m_theme.isDark ? 0.16f : 0.12f);
    if (!list.isMeasureUndecided)
        painter.fillRect(QRect(left, 0, std::max(1, right - left), list.size.height), shade);
    painter.setPen(QPen(m_theme.accent, 1, list.isMeasureUndecided ? Qt::DashLine : Qt::SolidLine));
    painter.drawLine(left, 0, left, list.size.height);
    painter.drawLine(std::max(left, right - 1), 0, std::max(left, right - 1), list.size.height);
    if (list.measure.empty()) return;
    const QString text = QString::fromStdString(list.measure);
    painter.setFont(m_font);
    const int width = painter.fontMetrics().horizontalAdvance(text) + px(12), height = px(18);
    const int middle = (std::max(left, list.headerWidth) + std::min(right, list.size.width)) / 2;
    const int most = std::max(list.headerWidth, list.size.width - width - px(2));
    const QRect label(std::clamp(middle - width / 2, list.headerWidth, most), px(4), width, height);
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
        QPainterPath head(to);
        head.lineTo(to + QPointF(-2 * r, -r));
        head.lineTo(to + QPointF(-2 * r, r));
        head.closeSubpath();
        if (!link.isUndecided) {
            painter.fillPath(head, m_theme.selection);
            continue;
        }
        painter.setPen(QPen(m_theme.selection, m_scale));
        painter.drawPath(head);
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
}

void LanePainter::paintShapes(QPainter& painter, const DisplayRow& row, int headerWidth) const
{
    const bool isBusy = row.shape == RowShape::busy;
    if (row.shape == RowShape::hatch) {
        painter.fillRect(QRect(headerWidth, row.y, painter.window().width(), row.height),
                         QBrush(m_theme.bad, Qt::BDiagPattern));
    }
    // Neighbours of equal look are one rectangle, so that pictures stay small.
    QRect run;
    QColor runColor;
    const auto flush = [&] {
        if (!run.isNull()) painter.fillRect(run, runColor);
        run = QRect();
    };
    const auto put = [&](int x, int top, const QColor& color) {
        const QRect cell(headerWidth + x, row.y + top, 1, row.height - top);
        if (!run.isNull() && color == runColor && run.right() + 1 == cell.left() && run.top() == cell.top()) {
            run.setRight(cell.right());
            return;
        }
        flush();
        run = cell;
        runColor = color;
    };
    for (const DenseColumn& column : row.columns) {
        QColor color =
            isBusy ? QColor(m_palette.busy()) : QColor(m_palette.fill(column.category, column.nameHash));
        const bool byHeight = isBusy || row.isSummary;
        if (!byHeight) color.setAlpha(column.occupancy == 0 ? 200 : 100 + column.occupancy * 155 / 255);
        put(column.x, byHeight ? row.height - std::max(1, row.height * column.occupancy / 255) : 0, color);
    }
    flush();
    for (const SliceBox& box : row.boxes) {
        const int gap = !isBusy && box.end - box.begin >= 4 ? 1 : 0;
        painter.fillRect(QRect(headerWidth + box.begin, row.y, box.end - box.begin - gap, row.height),
                         QColor(isBusy ? m_palette.busy() : m_palette.fill(box)));
    }
    QColor area = m_theme.category(SliceCategory::cudaApi);
    area.setAlpha(110);
    for (const CounterColumn& sample : row.samples) {
        put(sample.x, 2 + static_cast<int>(static_cast<float>(row.height - 2) * (1 - sample.max)), area);
    }
    flush();
}

} // namespace lockstep
