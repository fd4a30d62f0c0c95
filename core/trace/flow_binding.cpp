// SPDX-License-Identifier: Apache-2.0
#include "core/trace/flow_binding.h"

#include <algorithm>
#include <string>
#include <tuple>

namespace lockstep {

void FlowBinding::Count::add(const FlowPoint& point)
{
    if (number++ == 0) first_ns = point.time_ns;
}

void FlowBinding::bind(Column<FlowPoint>& points, RowChunks<Link>& links)
{
    const auto order = [](const FlowPoint& p) { return std::tuple(p.key, p.time_ns, p.role, p.track); };
    std::ranges::sort(points, {}, order);
    Cause cause;
    for (const FlowPoint& point : points)
        take(point, cause, links);
    leave(cause);
    addNotes();
}

void FlowBinding::take(const FlowPoint& point, Cause& cause, RowChunks<Link>& links)
{
    const bool isSameFlow = cause.point != nullptr && cause.point->key == point.key;
    if (!isSameFlow || point.role == FlowRole::start) leave(cause);
    const SliceId slice = boundSlice(point);
    if (!slice.isValid()) m_unbound.add(point);
    if (point.role == FlowRole::start) {
        cause = {&point, slice, false};
        return;
    }
    if (cause.point == nullptr) {
        m_withoutCause.add(point);
        return;
    }
    cause.hasEffect = true;
    if (cause.slice.isValid() && slice.isValid())
        links.add({cause.slice, slice, LinkKind::flow}, m_report.place.temporary());
    if (point.role == FlowRole::step) cause = {&point, slice, true};
}

void FlowBinding::leave(Cause& cause)
{
    if (!cause.hasEffect) m_unterminated.add(*cause.point);
    cause = {};
}

SliceId FlowBinding::enclosingSlice(TrackId id, int64_t time_ns) const
{
    const Track& track = m_report.tracks[id.value];
    const auto begin = m_report.slices.start_ns.begin() + track.firstSlice.value;
    const auto after = std::upper_bound(begin, begin + track.sliceCount, time_ns);
    if (after == begin) return {};
    SliceId slice(track.firstSlice.value + static_cast<uint32_t>(after - begin) - 1);
    while (slice.isValid() && m_report.slices.end(slice).ns < time_ns)
        slice = m_report.slices.parent[slice.value];
    return slice;
}

SliceId FlowBinding::nextSlice(TrackId id, int64_t time_ns) const
{
    const Track& track = m_report.tracks[id.value];
    const auto begin = m_report.slices.start_ns.begin() + track.firstSlice.value;
    const auto next = std::lower_bound(begin, begin + track.sliceCount, time_ns);
    if (next == begin + track.sliceCount) return {};
    return SliceId(track.firstSlice.value + static_cast<uint32_t>(next - begin));
}

// Searches the track of the point, then the other tracks of its thread, which are adjacent. If there are
// several next slices, the earliest is used.
SliceId FlowBinding::boundSlice(const FlowPoint& point) const
{
    if (!point.track.isValid()) return {};
    const auto on = [&](TrackId id) {
        return point.bindsNext ? nextSlice(id, point.time_ns) : enclosingSlice(id, point.time_ns);
    };
    SliceId best = on(point.track);
    const ThreadId thread = m_report.tracks[point.track.value].key.thread;
    if ((best.isValid() && !point.bindsNext) || !thread.isValid()) return best;
    const auto isSame = [&](uint32_t other) { return m_report.tracks[other].key.thread == thread; };
    uint32_t first = point.track.value;
    while (first > 0 && isSame(first - 1))
        --first;
    for (uint32_t other = first; other < m_report.tracks.size() && isSame(other); ++other) {
        const SliceId there = on(TrackId(other));
        if (!there.isValid()) continue;
        if (!point.bindsNext) return there;
        if (!best.isValid() || m_report.slices.start(there).ns < m_report.slices.start(best).ns) best = there;
    }
    return best;
}

void FlowBinding::addNotes()
{
    const auto add = [&](const char* kind, const char* text, const Count& count) {
        if (count.number == 0) return;
        m_report.notes.add(kind, NoteSeverity::warning, text,
                           "stamp " + std::to_string(count.first_ns) + " ns", count.number);
    };
    add("flow.no_slice", "flow events outside any slice: arrow not drawn", m_unbound);
    add("flow.end_without_start",
        "flows that continue or end before they start, or never start: arrow not drawn", m_withoutCause);
    add("flow.start_without_end", "flows that start but never end: no arrow", m_unterminated);
}

} // namespace lockstep
