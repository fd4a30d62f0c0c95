// SPDX-License-Identifier: Apache-2.0
// TimelineView as a pane of a comparison: the widgets that it lends and holds, and the geometry it reports.
#include <QGridLayout>
#include <QScrollBar>

#include "ui/timeline/minimap_bar.h"
#include "ui/timeline/ruler_bar.h"
#include "ui/timeline/timeline_canvas.h"
#include "ui/timeline/timeline_view.h"

namespace lockstep {

namespace {

constexpr double kMinHeader = 120, kMaxHeader = 700;

} // namespace

void TimelineView::setHeaderWidth(double atScaleOne)
{
    const double width = std::clamp(atScaleOne, kMinHeader, kMaxHeader);
    if (width == m_state.headerWidth) return;
    m_state.headerWidth = width;
    m_minimap->refresh();
    refresh();
    emit headerWidthChanged(width);
}

void TimelineView::setHalf(const std::optional<TimelineHalf>& half)
{
    m_half = half;
    m_state.setGapRule(half ? GapRule{.isOn = false} : m_gapRule);
    m_state.setReach(half ? half->reach : TimeRange());
    m_state.zero = half ? std::optional(half->zero) : std::nullopt;
    m_state.overviewLabel = half ? half->label : QString();
    m_ruler->setVisible(!half || half->hasRuler);
    QSizePolicy room = m_scrollBar->sizePolicy();
    room.setRetainSizeWhenHidden(half.has_value());
    m_scrollBar->setSizePolicy(room);
    m_minimap->setSizePolicy(QSizePolicy::Preferred, half ? QSizePolicy::Fixed : QSizePolicy::Preferred);
    m_minimap->updateGeometry();
    m_minimap->refresh();
    refreshLanes();
    setGoal(m_state.window.visible());
}

void TimelineView::hold(QWidget* secondOverview, QWidget* title)
{
    auto* const grid = static_cast<QGridLayout*>(layout());
    const auto place = [&](QWidget*& held, QWidget* next, int row) {
        if (held != nullptr && held != next && held->parentWidget() == this) {
            grid->removeWidget(held);
            held->hide();
        }
        held = next;
        if (next == nullptr) return;
        grid->addWidget(next, row, 0);
        next->show();
    };
    place(m_secondOverview, secondOverview, 1);
    place(m_paneTitle, title, 5);
}

QWidget* TimelineView::overview() const
{
    return m_minimap;
}

void TimelineView::reclaimOverview()
{
    static_cast<QGridLayout*>(layout())->addWidget(m_minimap, 0, 0);
    m_minimap->show();
}

QRect TimelineView::lanesRect() const
{
    return m_canvas->geometry();
}

QRect TimelineView::placeOf(SliceRef slice) const
{
    const auto range = m_state.rangeOf(slice);
    const PixelSize size = m_canvas->deviceSize();
    const FrameView view = m_state.frameView(size);
    const auto place = range ? slicePosition(m_state.scene(), view, slice) : std::nullopt;
    if (!place) return {};
    const PixelScale scale = m_state.window.scale(std::max(1, size.width - view.headerWidth));
    const int begin = scale.pixelOf(range->begin), end = std::max(begin + 2, scale.pixelOf(range->end));
    const double ratio = devicePixelRatioF();
    const QRectF rect((view.headerWidth + begin) / ratio, place->y / ratio, (end - begin) / ratio,
                      place->height / ratio);
    return rect.toAlignedRect().translated(m_canvas->pos());
}

} // namespace lockstep
