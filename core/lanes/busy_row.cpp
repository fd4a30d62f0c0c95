#include "core/lanes/busy_row.h"

#include <algorithm>
#include <map>
#include <queue>

namespace lockstep {

namespace {

bool holdsOnlyGpuWork(const Report& report, const Track& track)
{
    for (uint32_t i = 0; i < track.sliceCount; ++i) {
        if (!isGpuWork(report.slices.kind[track.firstSlice.value + i])) return false;
    }
    return true;
}

// How far one track has been read.
struct Cursor {
    int64_t start;
    uint32_t slice;
    uint32_t end;
};

struct StartsLater {
    bool operator()(const Cursor& a, const Cursor& b) const { return a.start > b.start; }
};

} // namespace

BusyRow::BusyRow(const Report& report, ProcessId process, DeviceId device, std::vector<TrackId> tracks)
    : m_process(process), m_device(device)
{
    if (tracks.size() == 1 && report.track(tracks[0]).depthCount == 1 &&
        holdsOnlyGpuWork(report, report.track(tracks[0]))) {
        m_sameAs = tracks[0];
        return;
    }
    unite(report, tracks);
    m_start.shrink_to_fit();
    m_duration.shrink_to_fit();
    const auto count = static_cast<uint32_t>(m_start.size());
    m_sums.start_ns.resize(RowSums::blocksOf(count));
    m_sums.busy_ns.resize(RowSums::blocksOf(count) + 1);
    m_sums.longest_ns.resize(RowSums::longestEntriesOf(count));
    fillRowSums({m_start.data(), m_duration.data(), nullptr, nullptr, count}, 1, m_sums, {});
}

void BusyRow::unite(const Report& report, const std::vector<TrackId>& tracks)
{
    const SliceTable& slices = report.slices;
    std::priority_queue<Cursor, std::vector<Cursor>, StartsLater> cursors;
    for (const TrackId id : tracks) {
        const Track& track = report.track(id);
        if (track.sliceCount == 0) continue;
        const uint32_t first = track.firstSlice.value;
        cursors.push({slices.start_ns[first], first, first + track.sliceCount});
    }
    while (!cursors.empty()) {
        Cursor cursor = cursors.top();
        cursors.pop();
        const int64_t until = cursors.empty() ? kAllTime.end.ns : cursors.top().start;
        for (; cursor.slice < cursor.end && slices.start_ns[cursor.slice] <= until; ++cursor.slice) {
            if (!isGpuWork(slices.kind[cursor.slice])) continue;
            append(slices.start_ns[cursor.slice],
                   slices.start_ns[cursor.slice] + slices.duration_ns[cursor.slice]);
        }
        if (cursor.slice < cursor.end)
            cursors.push({slices.start_ns[cursor.slice], cursor.slice, cursor.end});
    }
}

void BusyRow::append(int64_t start, int64_t end)
{
    if (!m_start.empty() && start <= m_start.back() + m_duration.back()) {
        m_duration.back() = std::max(m_duration.back(), end - m_start.back());
        return;
    }
    m_start.push_back(start);
    m_duration.push_back(end - start);
}

LodRow BusyRow::row(const Report& report, const SliceLod& slices) const
{
    if (m_sameAs.isValid()) return slices.row(report, m_sameAs, 0);
    const auto count = static_cast<uint32_t>(m_start.size());
    return LodRow({m_start.data(), m_duration.data(), nullptr, nullptr, count}, 1, {}, m_sums, {});
}

size_t BusyRow::residentBytes() const
{
    return (m_start.capacity() + m_duration.capacity()) * sizeof(int64_t) + m_sums.residentBytes();
}

std::vector<BusyRow> findBusyRows(const Report& report)
{
    std::map<std::pair<ProcessId, DeviceId>, std::vector<TrackId>> tracks;
    std::vector<std::pair<ProcessId, DeviceId>> order;
    for (size_t i = 0; i < report.tracks.size(); ++i) {
        const Track& track = report.tracks[i];
        const bool isWork = track.key.kind == TrackKind::gpuStream || track.key.kind == TrackKind::gpuGraph;
        if (!isWork || track.sliceCount == 0) continue;
        auto& held = tracks[{track.key.process, track.key.device}];
        if (held.empty()) order.push_back({track.key.process, track.key.device});
        held.push_back(TrackId(i));
    }
    std::vector<BusyRow> rows;
    for (const auto& key : order)
        rows.emplace_back(report, key.first, key.second, tracks[key]);
    return rows;
}

} // namespace lockstep
