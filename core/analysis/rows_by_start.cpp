// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/rows_by_start.h"

#include <algorithm>
#include <map>

namespace lockstep {

RowsByStart::RowsByStart(const Scene& scene, const Scope& scope, RowKinds kinds)
    : m_scene(scene), m_kinds(kinds), m_windows(scene.shown.slotCount())
{
    std::map<GroupKey, std::vector<Place>> byGroup;
    for (const ReportKey key : scene.shown.keys()) {
        const Report& report = scene.shown.report(key);
        m_windows[key.value] = windowOf(scope, scene.alignment, key);
        bool hasRows = false;
        for (size_t t = 0; t < report.tracks.size(); ++t) {
            const Track& track = report.tracks[t];
            if (track.sliceCount == 0 || !isInScope(scope, scene.shown, key, track)) continue;
            Place place{
                0,  key, TrackId(t), track.firstSlice.value, track.firstSlice.value + track.sliceCount,
                {}, {}};
            if (!advance(place)) continue;
            hasRows = true;
            byGroup[groupKeyOf(scope.by, scene.shown, key, track.key.process)].push_back(place);
        }
        if (hasRows) m_reports.push_back(key);
    }
    for (auto& [group, places] : byGroup) {
        for (Place& place : places) {
            place.group = m_groups.size();
            m_first.push_back(place);
        }
        m_groups.push_back(group);
    }
    std::ranges::sort(m_reports);
    restart();
}

void RowsByStart::restart()
{
    m_heap = m_first;
    std::ranges::make_heap(m_heap, isLater);
}

bool RowsByStart::next(PlacedRow& row)
{
    if (m_heap.empty()) return false;
    std::ranges::pop_heap(m_heap, isLater);
    Place& place = m_heap.back();
    row = {place.report, place.track, SliceId(place.row), &m_groups[place.group]};
    ++place.row;
    if (advance(place))
        std::ranges::push_heap(m_heap, isLater);
    else
        m_heap.pop_back();
    return true;
}

// Advances to the next row that is in scope; returns false at the end.
bool RowsByStart::advance(Place& place) const
{
    const SliceTable& slices = m_scene.shown.report(place.report).slices;
    const std::optional<TimeRange>& window = m_windows[place.report.value];
    for (; place.row < place.last; ++place.row) {
        if (!holds(m_kinds, slices.kind[place.row])) continue;
        const TimeRange range = slices.range(SliceId(place.row));
        const bool isInside =
            !window || range.overlaps(*window) || (range.begin == range.end && window->contains(range.begin));
        if (!isInside) continue;
        place.start = m_scene.alignment.map(place.report).alignedFromTrace(range.begin);
        place.source = slices.source[place.row];
        return true;
    }
    return false;
}

bool RowsByStart::isLater(const Place& a, const Place& b)
{
    const auto order = [](const Place& place) {
        return std::tuple(place.group, place.start, place.report, place.source, place.row);
    };
    return order(a) > order(b);
}

} // namespace lockstep
