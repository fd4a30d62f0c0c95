// SPDX-License-Identifier: Apache-2.0
#include "ui/window/view_state.h"

#include <utility>

#include "core/timeline/measure.h"

namespace lockstep {

void ViewState::setVisible(TimeRange range)
{
    if (range == m_visible) return;
    m_visible = range;
    m_hasMoved = true;
    if (m_pinnedRange && !m_isNavigating && range.unitedWith(*m_pinnedRange) != *m_pinnedRange) {
        m_pinnedRange.reset();
        emit scopePinnedChanged();
    }
    emit visibleChanged();
    if (!m_isMoving) setMoving(false);
}

void ViewState::setMoving(bool isMoving)
{
    m_isMoving = isMoving;
    if (isMoving || !std::exchange(m_hasMoved, false)) return;
    if (m_choice == ScopeChoice::visible && !m_pinnedRange) emit scopeChanged();
}

void ViewState::setSelection(Selection selection)
{
    const Selection before = std::exchange(m_selection, std::move(selection));
    const Selection now = m_selection; // slots may change the selection again
    const bool isRangeNew = now.range != before.range;
    if (now.areas != before.areas || now.slices != before.slices) emit areasChanged();
    if (isRangeNew || now.began != before.began || now.ended != before.ended) emit rangeChanged();
    if (isRangeNew && m_choice == ScopeChoice::selected) emit scopeChanged();
    if (now.slice != before.slice) emit sliceChanged();
    if (now.block != before.block) emit blockChanged();
}

void ViewState::setSlice(SliceRef slice)
{
    Selection next = m_selection;
    next.slice = slice;
    if (slice.isValid()) next.block = {};
    setSelection(std::move(next));
}

void ViewState::setBlock(const BlockRef& block)
{
    Selection next = m_selection;
    next.block = block;
    if (block.isValid()) next.slice = {};
    setSelection(std::move(next));
}

void ViewState::reveal(SliceRef slice, bool isZoomedTo)
{
    if (!slice.isValid()) return;
    setSlice(slice);
    emit revealRequested(slice, isZoomedTo);
}

void ViewState::setRange(std::optional<TimeRange> range, ReportKey began, ReportKey ended)
{
    if (range && range->isEmpty()) range.reset();
    Selection next = m_selection;
    if (!next.areas.empty() && range != hullOf(next.areas)) next.areas.clear();
    next.range = range;
    next.began = began;
    next.ended = ended;
    setSelection(std::move(next));
}

QString ViewState::measureText(const Alignment& alignment) const
{
    const Measure measure = measureOf(alignment, m_selection);
    return QString::fromUtf8(measure.why.empty() ? measure.text : measure.text + ", " + measure.why);
}

void ViewState::setAreas(std::vector<Area> areas, SliceList slices, ReportKey began, ReportKey ended)
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

void ViewState::navigateTo(SliceRef slice, bool isZoomedTo, std::optional<TimeRange> range)
{
    if (!slice.isValid()) return;
    const TimeRange before = m_visible;
    const bool isFirst = m_choice == ScopeChoice::visible && !m_pinnedRange;
    m_isNavigating = true;
    if (isFirst) m_pinnedRange = before;
    reveal(slice, isZoomedTo && !range);
    if (range) setVisible(*range);
    m_isNavigating = false;
    if (isFirst && m_visible == before) m_pinnedRange.reset();
    if (isFirst && m_pinnedRange) emit scopePinnedChanged();
}

void ViewState::setCursor(const std::optional<TraceTime>& time)
{
    if (time == m_cursor) return;
    m_cursor = time;
    emit cursorChanged();
}

void ViewState::setHiddenNames(const QStringList& names)
{
    if (names == m_hiddenNames) return;
    m_hiddenNames = names;
    emit hiddenNamesChanged();
}

void ViewState::setScopeChoice(ScopeChoice choice)
{
    if (choice == m_choice && !m_pinnedRange) return;
    m_choice = choice;
    m_pinnedRange.reset();
    emit scopeChanged();
}

std::optional<Scope> ViewState::scope() const
{
    if (m_choice == ScopeChoice::selected && !range()) return std::nullopt;
    Scope scope;
    if (m_choice == ScopeChoice::visible) scope.time = m_pinnedRange.value_or(m_visible);
    if (m_choice == ScopeChoice::selected) scope.time = range();
    return scope;
}

} // namespace lockstep
