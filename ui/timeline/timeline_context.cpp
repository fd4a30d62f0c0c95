// SPDX-License-Identifier: Apache-2.0
#include "ui/timeline/timeline_context.h"

#include <algorithm>
#include <cmath>

#include <QFontInfo>
#include <QScrollBar>

#include "ui/timeline/hover_card.h"
#include "ui/timeline/marks_bar.h"
#include "ui/timeline/minimap_bar.h"
#include "ui/timeline/ruler_bar.h"
#include "ui/timeline/timeline_canvas.h"

namespace lockstep {

TimelineContext::TimelineContext(QWidget& timeline, ViewState& viewState, Notices& statusLine,
                                 Workers workers)
    : owner(timeline), view(viewState), notices(statusLine), state(&viewState),
      minimap(new MinimapBar(state, &timeline)), ruler(new RulerBar(state, &timeline)),
      marksBar(new MarksBar(state, &timeline)), canvas(new TimelineCanvas(state, tools, &timeline)),
      scrollBar(new QScrollBar(Qt::Vertical, &timeline)), card(new HoverCard(canvas))
{
    state.workers = std::move(workers);
    state.marks = &marksBar->markLayout();
    updateScale();
}

TimelineContext::~TimelineContext()
{
    delete canvas; // refers to the tool stack
}

void TimelineContext::refresh()
{
    state.setViewWidth(canvas->deviceSize().width);
    marksBar->refresh();
    canvas->refresh();
    ruler->update();
    minimap->update();
}

void TimelineContext::refreshLanes()
{
    updateScrollBar();
    refresh();
}

void TimelineContext::updateScale()
{
    // The text size of the application determines the scale: 12 px is scale 1.
    const double text = std::clamp(QFontInfo(owner.font()).pixelSize() / 12.0, 0.75, 3.0);
    state.setScale(std::round(text * 4) / 4 * owner.devicePixelRatioF());
    ruler->updateGeometry();
    marksBar->updateGeometry();
    minimap->updateGeometry();
}

void TimelineContext::updateScrollBar()
{
    const int height = canvas->deviceSize().height;
    state.setViewHeight(height);
    const int shown = height - std::min(state.flow().pinnedHeight, height / 2);
    // Allow half a page of free space below the last lane, so that it can be scrolled away from the edge.
    const int maxScroll = std::max(0, state.flow().scrollingHeight - shown + state.flow().pitch());
    scrollBar->setPageStep(std::max(1, shown));
    scrollBar->setSingleStep(state.flow().pitch());
    scrollBar->setRange(0, state.flow().scrollingHeight <= shown ? 0 : maxScroll);
    scrollBar->setVisible(scrollBar->maximum() > 0);
    state.scroll = scrollBar->value();
}

void TimelineContext::scrollTo(int y)
{
    scrollBar->setValue(y);
}

void TimelineContext::scrollToLane(uint32_t lane)
{
    bool isPinned = false;
    const PlacedLane* const placed = state.flow().placeOf(state.tree(), lane, &isPinned);
    if (placed == nullptr || isPinned) return;
    const int height = canvas->deviceSize().height;
    const int page = height - std::min(state.flow().pinnedHeight, height / 2);
    const int bottom = placed->y + std::min(placed->height, page);
    if (bottom > state.scroll + page) scrollTo(bottom - page);
    const PlacedLane* const process = state.flow().processOf(state.tree(), placed->lane);
    const int covered = process == nullptr || process == placed ? 0 : process->height;
    if (placed->y - covered < state.scroll) scrollTo(placed->y - covered);
}

void TimelineContext::scrollToSlice(SliceRef slice, uint32_t lane)
{
    const PixelSize size = canvas->deviceSize();
    const auto position = slicePosition(state.scene(), state.frameView(size), slice);
    if (!position || position->isPinned) return;
    const PlacedLane* const process = state.flow().processOf(state.tree(), lane);
    const int top = std::min(state.flow().pinnedHeight, size.height / 2);
    const int covered = top + (process == nullptr ? 0 : process->height);
    if (position->y < covered || position->y + position->height > size.height)
        scrollTo(state.scroll + position->y - (top + size.height) / 2);
}

void TimelineContext::showCard(const QStringList& lines, QPoint at)
{
    card->showLines(lines, at, *state.theme, state.scale() / owner.devicePixelRatioF());
}

QPoint TimelineContext::onScreen(int x, int y) const
{
    const double ratio = owner.devicePixelRatioF();
    return canvas->mapToGlobal(QPointF(x / ratio, y / ratio).toPoint());
}

void TimelineContext::takeFocus()
{
    owner.setFocus(Qt::MouseFocusReason);
}

} // namespace lockstep
