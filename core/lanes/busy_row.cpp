// SPDX-License-Identifier: Apache-2.0
#include "core/lanes/busy_row.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <queue>

namespace lockstep {

namespace {

bool hasOnlyGpuWork(const Report& report, const Track& track)
{
    for (uint32_t i = 0; i < track.sliceCount; ++i) {
        if (!isGpuWork(report.slices.kind[track.firstSlice.value + i])) return false;
    }
    return true;
}

// Read position on one track.
struct Cursor {
    int64_t start;
    uint32_t slice;
    uint32_t end;
};

struct StartsLater {
    bool operator()(const Cursor& a, const Cursor& b) const { return a.start > b.start; }
};

} // namespace

void BusyRow::append(Intervals& to, Interval interval, const ColumnPlace& place)
{
    if (!to.empty() && to.back().activity == interval.activity && interval.start <= to.back().end) {
        to.back().end = std::max(to.back().end, interval.end);
        return;
    }
    to.add(interval, place.temporary());
}

// Merges all of `above` with the part of `below` that `above` does not cover.
BusyRow::Intervals BusyRow::covered(Intervals&& above, const Intervals& below, const ColumnPlace& place)
{
    if (below.empty()) return std::move(above);
    Intervals out;
    Intervals::Cursor over(above);
    int64_t covered = std::numeric_limits<int64_t>::min(); // end of the time covered by `above`
    below.forEach([&](const Interval& under) {
        int64_t from = std::max(under.start, covered);
        for (; !over.atEnd() && over.get()->start < under.end; over.next()) {
            if (over.get()->start > from) append(out, {from, over.get()->start, under.activity}, place);
            append(out, *over.get(), place);
            covered = over.get()->end;
            from = std::max(from, covered);
        }
        const bool isInstant = under.start == under.end && from == under.start;
        if (from < under.end || isInstant) append(out, {from, under.end, under.activity}, place);
    });
    for (; !over.atEnd(); over.next())
        append(out, *over.get(), place);
    return out;
}

BusyRow::BusyRow(const Report& report, const SliceLod& slices, ProcessId process, DeviceId device,
                 const std::vector<TrackId>& tracks)
    : m_process(process), m_device(device)
{
    if (tracks.size() == 1 && report.track(tracks[0]).depthCount == 1 &&
        hasOnlyGpuWork(report, report.track(tracks[0]))) {
        m_sameAs = tracks[0];
    } else {
        unite(report, tracks);
    }
    const LodRow work = row(report, slices);
    m_buckets = ActivityBuckets(work);
    for (uint32_t i = 0; i < work.count(); ++i) {
        const TraceTime begin{work.start(i)}, end{work.end(i)};
        if (m_stretches.empty() || begin - m_stretches.back().end > kMinIdle)
            m_stretches.push_back({begin, begin});
        m_stretches.back().end = std::max(m_stretches.back().end, end);
    }
    m_stretches.shrink_to_fit();
}

// Unites the work of all tracks in two steps. A k-way merge of the tracks appends each slice to the intervals
// of its activity, in order of starts. The lists of the activities are then overlaid in order of precedence,
// each by one linear merge that keeps only the uncovered part of the lower list. Invariant: the intervals of
// a list are disjoint and ascending. O(n log tracks).
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
    std::array<Intervals, kActivities> of;
    while (!cursors.empty()) {
        Cursor cursor = cursors.top();
        cursors.pop();
        const int64_t until = cursors.empty() ? kAllTime.end.ns : cursors.top().start;
        for (; cursor.slice < cursor.end && slices.start_ns[cursor.slice] <= until; ++cursor.slice) {
            if (!isGpuWork(slices.kind[cursor.slice])) continue;
            const Activity activity = activityOf(slices.category[cursor.slice]);
            const int64_t start = slices.start_ns[cursor.slice];
            append(of[static_cast<size_t>(activity)],
                   {start, start + slices.duration_ns[cursor.slice], activity}, report.place);
        }
        if (cursor.slice < cursor.end)
            cursors.push({slices.start_ns[cursor.slice], cursor.slice, cursor.end});
    }
    Intervals all = std::move(of[0]);
    for (size_t activity = 1; activity < kActivities; ++activity)
        all = covered(std::move(all), of[activity], report.place);
    take(all, report.place);
}

void BusyRow::take(const Intervals& intervals, const ColumnPlace& place)
{
    const auto count = static_cast<uint32_t>(intervals.count);
    m_start = place.derivedColumn<int64_t>(count);
    m_duration = place.derivedColumn<int64_t>(count);
    m_category = place.derivedColumn<SliceCategory>(count);
    m_mask = 0;
    size_t next = 0;
    intervals.forEach([&](const Interval& interval) {
        m_start[next] = interval.start;
        m_duration[next] = interval.end - interval.start;
        m_category[next] = categoryOf(interval.activity);
        m_mask = static_cast<uint16_t>(m_mask | 1u << static_cast<unsigned>(m_category[next++]));
    });
    if (m_mask == 0) m_mask = 1;
    const auto kinds = static_cast<uint32_t>(std::popcount(uint32_t(m_mask)));
    m_sums.start_ns = place.derivedColumn<int64_t>(RowSums::blocksOf(count));
    m_sums.busy_ns = place.derivedColumn<int64_t>(RowSums::blocksOf(count) + 1);
    m_sums.longest_ns = place.derivedColumn<int64_t>(RowSums::longestEntriesOf(count));
    if (kinds > 1) m_sums.mix_ns = place.derivedColumn<int64_t>((count / RowSums::kBlock + 1) * kinds);
    fillRowSums({m_start.data(), m_duration.data(), m_category.data(), nullptr, count}, m_mask, m_sums, {});
}

LodRow BusyRow::row(const Report& report, const SliceLod& slices) const
{
    if (m_sameAs.isValid()) return slices.row(report, m_sameAs, 0);
    const auto count = static_cast<uint32_t>(m_start.size());
    return LodRow({m_start.data(), m_duration.data(), m_category.data(), nullptr, count}, m_mask, {}, m_sums,
                  {});
}

size_t BusyRow::residentBytes() const
{
    return m_start.residentBytes() + m_duration.residentBytes() + m_category.residentBytes() +
           m_sums.residentBytes() + m_buckets.residentBytes() + m_stretches.capacity() * sizeof(TimeRange);
}

std::vector<BusyRow> findBusyRows(const Report& report, const SliceLod& slices)
{
    std::map<std::pair<ProcessId, DeviceId>, std::vector<TrackId>> tracks;
    std::vector<std::pair<ProcessId, DeviceId>> order;
    for (size_t i = 0; i < report.tracks.size(); ++i) {
        const Track& track = report.tracks[i];
        const bool isWork = track.key.kind == TrackKind::gpuStream || track.key.kind == TrackKind::gpuGraph;
        if (!isWork || track.sliceCount == 0) continue;
        auto& ofDevice = tracks[{track.key.process, track.key.device}];
        if (ofDevice.empty()) order.push_back({track.key.process, track.key.device});
        ofDevice.push_back(TrackId(i));
    }
    std::vector<BusyRow> rows;
    for (const auto& key : order)
        rows.emplace_back(report, slices, key.first, key.second, tracks[key]);
    return rows;
}

} // namespace lockstep
