// SPDX-License-Identifier: Apache-2.0
#include "ui/window/view_state.h"

#include <utility>

namespace lockstep {

ViewState::ViewState(QObject* parent) : SelectionState(parent)
{
    connect(this, &ViewState::rangeChanged, this, [this] {
        if (std::exchange(m_scopedRange, range()) == range()) return;
        if (m_choice == ScopeChoice::selected) emit scopeChanged();
    });
}

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

void ViewState::reveal(SliceRef slice, bool isZoomedTo)
{
    if (!slice.isValid()) return;
    setSlice(slice);
    emit revealRequested(slice, isZoomedTo);
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
