// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/timeline_pane.h"

#include <QGridLayout>
#include <QScrollBar>

#include "ui/timeline/minimap_bar.h"
#include "ui/timeline/navigation_tool.h"
#include "ui/timeline/timeline_canvas.h"

namespace lockstep {

TimelinePane::TimelinePane(TimelineContext& context, NavigationTool& navigation)
    : m_context(context), m_navigation(navigation)
{
}

void TimelinePane::setHalf(const std::optional<TimelineHalf>& half)
{
    TimelineState& state = m_context.state;
    m_context.half = half;
    state.setGapRule(half ? GapRule{.isOn = false} : m_navigation.gapRule());
    state.setReach(half ? half->reach : TimeRange());
    state.zero = half ? std::optional(half->zero) : std::nullopt;
    state.overviewLabel = half ? half->label : QString();
    m_context.ruler->setVisible(!half || half->hasRuler);
    QSizePolicy room = m_context.scrollBar->sizePolicy();
    room.setRetainSizeWhenHidden(half.has_value());
    m_context.scrollBar->setSizePolicy(room);
    MinimapBar& minimap = *m_context.minimap;
    minimap.setSizePolicy(QSizePolicy::Preferred, half ? QSizePolicy::Fixed : QSizePolicy::Preferred);
    minimap.updateGeometry();
    minimap.refresh();
    m_context.refreshLanes();
    m_navigation.setTargetToShown();
}

void TimelinePane::insertWidgets(QWidget* secondOverview, QWidget* title)
{
    auto* const grid = static_cast<QGridLayout*>(m_context.owner.layout());
    const auto place = [&](QWidget*& held, QWidget* next, int row) {
        if (held != nullptr && held != next && held->parentWidget() == &m_context.owner) {
            grid->removeWidget(held);
            held->hide();
        }
        held = next;
        if (next == nullptr) return;
        grid->addWidget(next, row, 0);
        next->show();
    };
    place(m_secondOverview, secondOverview, 1);
    place(m_title, title, 5);
}

QWidget* TimelinePane::overview() const
{
    return m_context.minimap;
}

void TimelinePane::reclaimOverview()
{
    static_cast<QGridLayout*>(m_context.owner.layout())->addWidget(m_context.minimap, 0, 0);
    m_context.minimap->show();
}

QRect TimelinePane::lanesRect() const
{
    return m_context.canvas->geometry();
}

QRect TimelinePane::sliceRect(SliceRef slice) const
{
    const TimelineState& state = m_context.state;
    const auto range = rangeOf(state.scene(), slice);
    const PixelSize size = m_context.canvas->deviceSize();
    const FrameView view = state.frameView(size);
    const auto position = range ? slicePosition(state.scene(), view, slice) : std::nullopt;
    if (!position) return {};
    const PixelScale scale = state.window.scale(std::max(1, size.width - view.headerWidth));
    const int begin = scale.pixelOf(range->begin), end = std::max(begin + 2, scale.pixelOf(range->end));
    const double ratio = m_context.owner.devicePixelRatioF();
    const QRectF rect((view.headerWidth + begin) / ratio, position->y / ratio, (end - begin) / ratio,
                      position->height / ratio);
    return rect.toAlignedRect().translated(m_context.canvas->pos());
}

} // namespace lockstep
