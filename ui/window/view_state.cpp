// SPDX-License-Identifier: Apache-2.0
#include "ui/window/view_state.h"

namespace lockstep {

void ViewState::setVisible(TimeRange range)
{
    if (range == m_visible) return;
    m_visible = range;
    emit visibleChanged();
    if (m_choice == ScopeChoice::visible) emit scopeChanged();
}

void ViewState::setSlice(SliceRef slice)
{
    if (slice == m_slice) return;
    m_slice = slice;
    if (slice.isValid()) setBlock({});
    emit sliceChanged();
}

void ViewState::setBlock(const BlockRef& block)
{
    if (block == m_block) return;
    m_block = block;
    if (block.isValid()) setSlice({});
    emit blockChanged();
}

void ViewState::reveal(SliceRef slice, bool isZoomedTo)
{
    if (!slice.isValid()) return;
    setSlice(slice);
    emit revealRequested(slice, isZoomedTo);
}

void ViewState::setRange(const std::optional<TimeRange>& range, const QString& measure)
{
    if (!m_areas.empty() && range != hullOf(m_areas)) setAreas({}, m_slices);
    const bool isSame = range == m_range;
    if (isSame && measure == m_measure) return;
    m_range = range;
    m_measure = measure;
    emit rangeChanged();
    if (!isSame && m_choice == ScopeChoice::selected) emit scopeChanged();
}

void ViewState::setAreas(std::vector<Area> areas, SliceList slices)
{
    if (areas == m_areas && slices == m_slices) return;
    m_areas = std::move(areas);
    m_slices = std::move(slices);
    emit areasChanged();
}

void ViewState::navigateTo(SliceRef slice)
{
    m_isNavigating = true;
    reveal(slice);
    m_isNavigating = false;
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
    if (choice == m_choice) return;
    m_choice = choice;
    emit scopeChanged();
}

std::optional<Scope> ViewState::scope() const
{
    if (m_choice == ScopeChoice::selected && !m_range) return std::nullopt;
    Scope scope;
    if (m_choice == ScopeChoice::visible) scope.time = m_visible;
    if (m_choice == ScopeChoice::selected) scope.time = m_range;
    return scope;
}

} // namespace lockstep
