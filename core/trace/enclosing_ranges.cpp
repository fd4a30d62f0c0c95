// SPDX-License-Identifier: Apache-2.0
#include "core/trace/enclosing_ranges.h"

#include <algorithm>
#include <tuple>

namespace lockstep {

EnclosingRanges::EnclosingRanges(const Report& report, std::span<const TrackKind> kinds) : m_report(report)
{
    for (size_t i = 0; i < report.tracks.size(); ++i) {
        const TrackKey& key = report.tracks[i].key;
        if (!key.thread.isValid() || report.tracks[i].sliceCount == 0) continue;
        if (std::ranges::find(kinds, key.kind) != kinds.end()) m_tracks[key.thread].emplace_back(i);
    }
}

void EnclosingRanges::addTrack(const Track& track, int64_t time_ns)
{
    const SliceTable& slices = m_report.slices;
    const auto first = slices.start_ns.begin() + track.firstSlice.value;
    const auto after = std::upper_bound(first, first + track.sliceCount, time_ns);
    if (after == first) return;
    auto id = SliceId(static_cast<size_t>(after - slices.start_ns.begin()) - 1);
    for (int depth = 0; id.isValid() && depth < kMaxDepth; id = slices.parent[id.value], ++depth) {
        if (slices.start_ns[id.value] + slices.duration_ns[id.value] > time_ns) m_found.push_back(id);
    }
}

std::span<const SliceId> EnclosingRanges::at(ThreadId thread, int64_t time_ns)
{
    m_found.clear();
    const auto tracks = m_tracks.find(thread);
    if (tracks == m_tracks.end()) return {};
    for (const TrackId track : tracks->second)
        addTrack(m_report.track(track), time_ns);
    if (tracks->second.size() == 1) return m_found;
    const SliceTable& slices = m_report.slices;
    std::ranges::stable_sort(m_found, {}, [&](SliceId id) {
        return std::tuple(-slices.start_ns[id.value], slices.duration_ns[id.value]);
    });
    return m_found;
}

} // namespace lockstep
