// SPDX-License-Identifier: Apache-2.0
#include "ui/window/selection_state.h"

#include <utility>

#include "core/timeline/measure.h"

namespace lockstep {

void SelectionState::setSelection(Selection selection)
{
    const Selection before = std::exchange(m_selection, std::move(selection));
    const Selection now = m_selection; // slots may change the selection again
    if (now.areas != before.areas || now.slices != before.slices) emit areasChanged();
    if (now.range != before.range || now.began != before.began || now.ended != before.ended)
        emit rangeChanged();
    if (now.slice != before.slice) emit sliceChanged();
    if (now.block != before.block) emit blockChanged();
}

void SelectionState::setSlice(SliceRef slice)
{
    Selection next = m_selection;
    next.slice = slice;
    if (slice.isValid()) next.block = {};
    setSelection(std::move(next));
}

void SelectionState::setBlock(const BlockRef& block)
{
    Selection next = m_selection;
    next.block = block;
    if (block.isValid()) next.slice = {};
    setSelection(std::move(next));
}

void SelectionState::setRange(std::optional<TimeRange> range, ReportKey began, ReportKey ended)
{
    if (range && range->isEmpty()) range.reset();
    Selection next = m_selection;
    if (!next.areas.empty() && range != hullOf(next.areas)) next.areas.clear();
    next.range = range;
    next.began = began;
    next.ended = ended;
    setSelection(std::move(next));
}

QString SelectionState::measureText(const Alignment& alignment) const
{
    const Measure measure = measureOf(alignment, m_selection);
    return QString::fromUtf8(measure.why.empty() ? measure.text : measure.text + ", " + measure.why);
}

void SelectionState::setAreas(std::vector<Area> areas, SliceList slices, ReportKey began, ReportKey ended)
{
    std::erase_if(areas, [](const Area& area) { return area.range.isEmpty(); });
    Selection next = m_selection;
    const bool hadAreas = !next.areas.empty();
    next.areas = std::move(areas);
    next.slices = std::move(slices);
    if (hadAreas || !next.areas.empty()) {
        const TimeRange hull = hullOf(next.areas);
        next.range = hull.isEmpty() ? std::nullopt : std::optional(hull);
        next.began = began;
        next.ended = ended;
    }
    setSelection(std::move(next));
}

} // namespace lockstep
