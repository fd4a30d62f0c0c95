// SPDX-License-Identifier: Apache-2.0
#include "ui/compare/delta_lane.h"

#include <cmath>

#include <QPainter>

#include "core/timeline/pixel_scale.h"
#include "ui/style/style_sheet.h"

namespace lockstep {

DeltaLane::DeltaLane(Workers workers, QWidget* parent)
    : QWidget(parent), m_job(
                           [this](Result<DifferenceStrip> made) {
                               if (!made) return;
                               m_strip = *std::move(made);
                               m_shown = m_visible;
                               update();
                           },
                           std::move(workers))
{
    setAttribute(Qt::WA_OpaquePaintEvent);
    setAccessibleName(tr("Differences between the panes"));
    setToolTip(
        tr("Up (red): a slice begins later in B. Down (green): earlier in B. Times are relative to the "
           "start of each side.\nHatched: missing in B (above the middle) or new in B (below)."));
}

void DeltaLane::setHalves(std::shared_ptr<const ComparedSides> halves)
{
    m_job.cancel();
    m_halves = std::move(halves);
    m_strip = {};
    m_visible = {};
    if (m_halves != nullptr)
        setAccessibleDescription(QString::fromStdString(slicePairsText(m_halves->pairs)));
    update();
}

void DeltaLane::setLook(const ComparisonLook& look)
{
    if (look == m_look) return;
    m_look = look;
    updateGeometry();
    layOut();
}

void DeltaLane::showRange(TimeRange visible, int right)
{
    if (visible == m_visible && right == m_right) return;
    m_visible = visible;
    m_right = right;
    layOut();
}

void DeltaLane::layOut()
{
    if (m_halves == nullptr) return;
    const int width = static_cast<int>((this->width() - m_right) * devicePixelRatioF()) - m_look.headerWidth;
    if (width <= 0 || m_visible.isEmpty()) return;
    if (m_halves->pairs.pairs.size() <= kFewPairs) {
        m_strip = layOutDifference(m_halves->pairs, m_visible, width);
        m_shown = m_visible;
    } else {
        m_job.start(
            [halves = m_halves, visible = m_visible, width](const Progress&) -> Result<DifferenceStrip> {
                return layOutDifference(halves->pairs, visible, width);
            });
    }
    update();
}

QSize DeltaLane::sizeHint() const
{
    return {100, static_cast<int>(std::lround(m_look.px(kDeltaHeight) / devicePixelRatioF()))};
}

void DeltaLane::resizeEvent(QResizeEvent*)
{
    layOut();
}

void DeltaLane::paintEvent(QPaintEvent*)
{
    const double ratio = devicePixelRatioF();
    QPainter painter(this);
    painter.scale(1 / ratio, 1 / ratio);
    const QRect all(0, 0, static_cast<int>(width() * ratio), static_cast<int>(height() * ratio));
    painter.fillRect(all, m_look.theme->window);
    const QRect area = all.adjusted(0, 0, -static_cast<int>(m_right * ratio), 0);
    paintDelta(painter, area, m_look, m_strip);
    if (m_shown != m_visible) {
        QColor wash = m_look.theme->window;
        wash.setAlphaF(0.6f);
        painter.fillRect(area.adjusted(m_look.headerWidth, 1, 0, -1), wash);
    }
    paintLegend(painter, area);
}

// Paints the legend to the right of the compared range, if there is room.
void DeltaLane::paintLegend(QPainter& painter, const QRect& area) const
{
    if (m_halves == nullptr || m_visible.isEmpty()) return;
    const int left = area.left() + m_look.headerWidth;
    const TimeRange whole = m_halves->whole(m_halves->couplingBy(CouplingRule::step));
    const int end = left + PixelScale(m_visible, std::max(1, area.right() - left)).pixelOf(whole.end);
    const QStringList words{tr("B later"), tr("B earlier"), tr("missing in B")};
    painter.setFont(smallFont(m_look.scale * 0.85));
    const QFontMetrics metrics(painter.font());
    const int need = metrics.horizontalAdvance(words[2]) + m_look.px(26);
    if (area.right() - end < need) return;
    const int line = (area.height() - 2) / 3;
    for (int i = 0; i < 3; ++i) {
        const QRect sign(area.right() - need, area.top() + 1 + i * line, m_look.px(16), line);
        const QPointF middle = QRectF(sign).center();
        const double size = m_look.px(4);
        painter.setPen(Qt::NoPen);
        if (i < 2) {
            const double tip = i == 0 ? -size : size;
            painter.setBrush(i == 0 ? m_look.theme->bad : m_look.theme->good);
            painter.drawPolygon(QPolygonF{middle + QPointF(0, tip), middle + QPointF(-size, -tip * 0.6),
                                          middle + QPointF(size, -tip * 0.6)});
        } else {
            painter.fillRect(QRectF(middle - QPointF(size, size), QSizeF(2 * size, 2 * size)),
                             QBrush(m_look.theme->mutedText, Qt::BDiagPattern));
        }
        painter.setPen(m_look.theme->mutedText);
        painter.drawText(QRect(sign.right() + m_look.px(4), sign.top(), need, line),
                         Qt::AlignLeft | Qt::AlignVCenter, words[i]);
    }
}

} // namespace lockstep
