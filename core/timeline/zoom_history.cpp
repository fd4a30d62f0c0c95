// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/zoom_history.h"

namespace lockstep {

namespace {

constexpr size_t kMaxPlaces = 200;

} // namespace

void ZoomHistory::remember(TimeRange visible)
{
    if (!m_back.empty() && m_back.back() == visible) return;
    m_back.push_back(visible);
    if (m_back.size() > kMaxPlaces) m_back.erase(m_back.begin());
    m_forth.clear();
}

std::optional<TimeRange> ZoomHistory::undo(TimeRange visible)
{
    while (!m_back.empty() && m_back.back() == visible)
        m_back.pop_back();
    if (m_back.empty()) return std::nullopt;
    m_forth.push_back(visible);
    const TimeRange place = m_back.back();
    m_back.pop_back();
    return place;
}

std::optional<TimeRange> ZoomHistory::redo(TimeRange visible)
{
    if (m_forth.empty()) return std::nullopt;
    m_back.push_back(visible);
    const TimeRange place = m_forth.back();
    m_forth.pop_back();
    return place;
}

void ZoomHistory::moveAxis(Duration by)
{
    for (std::vector<TimeRange>* const ranges : {&m_back, &m_forth}) {
        for (TimeRange& range : *ranges)
            range = {range.begin + by, range.end + by};
    }
}

} // namespace lockstep
