// SPDX-License-Identifier: Apache-2.0
#include "core/lanes/range_projection.h"

#include <algorithm>
#include <limits>
#include <map>
#include <span>

#include "core/lanes/phase_slices.h"
#include "core/trace/nesting.h"
#include "core/trace/row_chunks.h"

namespace lockstep {

namespace {

constexpr uint32_t kLaunchesBetweenChecks = 1 << 20;

// A call, and GPU work that it launched.
struct Launch {
    SliceId call;
    SliceId work;
};

// A thread and a GPU on which it launched work.
struct LaunchTarget {
    ProcessId process;
    DeviceId device;
    ThreadId thread;

    friend auto operator<=>(const LaunchTarget&, const LaunchTarget&) = default;
};

using LaunchesByTarget = std::map<LaunchTarget, RowChunks<Launch>>;
using TracksByThread = std::map<ThreadId, std::vector<TrackId>>;

bool isProjectedKind(RowKind kind)
{
    return kind == RowKind::nvtxPushPop || kind == RowKind::nvtxStartEnd || kind == RowKind::userAnnotation;
}

bool hasGpuAnnotations(const Report& report)
{
    return std::ranges::any_of(report.tracks, [&](const Track& track) {
        return track.key.kind == TrackKind::gpuAnnotation && track.sliceCount > 0 &&
               report.slices.category[track.firstSlice.value] == SliceCategory::nvtx;
    });
}

TracksByThread rangeTracks(const Report& report)
{
    TracksByThread out;
    for (size_t i = 0; i < report.tracks.size(); ++i) {
        const Track& track = report.tracks[i];
        const bool mayHave = track.key.kind == TrackKind::nvtx || track.key.kind == TrackKind::ops;
        if (!mayHave || !track.key.thread.isValid()) continue;
        const RowKind* const kinds = report.slices.kind.data() + track.firstSlice.value;
        if (std::any_of(kinds, kinds + track.sliceCount, isProjectedKind))
            out[track.key.thread].push_back(TrackId(i));
    }
    return out;
}

// Collects the launches by threads with ranges. Links are sorted by their causes, so work that several calls
// claim belongs to the first of them.
LaunchesByTarget launchesOf(const Report& report, const TracksByThread& ranges, const Progress& progress)
{
    LaunchesByTarget out;
    std::vector<bool> isLaunched(report.slices.size());
    size_t causeTrack = 0;
    const LaunchTarget* lastTarget = nullptr;
    RowChunks<Launch>* last = nullptr;
    uint32_t visited = 0;
    for (const Link& link : report.links.all()) {
        if (++visited % kLaunchesBetweenChecks == 0 && progress.isCanceled()) break;
        if (link.kind != LinkKind::launch || isLaunched[link.effect.value]) continue;
        isLaunched[link.effect.value] = true;
        while (causeTrack + 1 < report.tracks.size() &&
               report.tracks[causeTrack + 1].firstSlice <= link.cause)
            ++causeTrack;
        const TrackKey& work = report.track(report.trackOf(link.effect)).key;
        const bool isStream = work.kind == TrackKind::gpuStream || work.kind == TrackKind::gpuGraph;
        if (!isStream || !work.device.isValid() || !isGpuWork(report.slices.kind[link.effect.value]))
            continue;
        const LaunchTarget target{work.process, work.device, report.tracks[causeTrack].key.thread};
        if (lastTarget == nullptr || *lastTarget != target) {
            if (!ranges.contains(target.thread)) continue;
            const auto entry = out.try_emplace(target).first;
            lastTarget = &entry->first;
            last = &entry->second;
        }
        last->add({link.cause, link.effect}, report.place.temporary());
    }
    return out;
}

// The extent of GPU work, and the number of calls that launched it.
struct WorkSum {
    int64_t start_ns = std::numeric_limits<int64_t>::max();
    int64_t end_ns = std::numeric_limits<int64_t>::min();
    uint32_t calls = 0;

    void add(const WorkSum& other)
    {
        start_ns = std::min(start_ns, other.start_ns);
        end_ns = std::max(end_ns, other.end_ns);
        calls += other.calls;
    }
};

// The work of a set of calls: a binary indexed tree (Fenwick, 1994) over the calls, sorted by their ends.
// Each call is added once its start is late enough, so that a query over the calls that end early enough
// yields exactly the calls within a range. Every operation takes O(log calls).
class WorkByCallEnd {
  public:
    // ends_ns: the ends of all calls, in any order.
    explicit WorkByCallEnd(std::vector<int64_t> ends_ns) : m_ends(std::move(ends_ns))
    {
        std::ranges::sort(m_ends);
        m_sums.resize(m_ends.size() + 1);
    }

    void add(int64_t callEnd_ns, const WorkSum& work)
    {
        const auto rank = std::ranges::lower_bound(m_ends, callEnd_ns) - m_ends.begin();
        for (auto i = static_cast<size_t>(rank) + 1; i < m_sums.size(); i += i & (~i + 1))
            m_sums[i].add(work);
    }
    // Returns the sum over the added calls that end at or before a time.
    WorkSum until(int64_t end_ns) const
    {
        WorkSum sum;
        const auto count = std::ranges::upper_bound(m_ends, end_ns) - m_ends.begin();
        for (auto i = static_cast<size_t>(count); i > 0; i &= i - 1)
            sum.add(m_sums[i]);
        return sum;
    }

  private:
    std::vector<int64_t> m_ends;
    std::vector<WorkSum> m_sums; // m_sums[0] is unused
};

// Sorts unless the elements are already in order, which they are if they come from one track.
template<class T, class Less>
void sortIfNeeded(std::vector<T>& all, const Less& less)
{
    if (!std::ranges::is_sorted(all, less)) std::ranges::sort(all, less);
}

// Projects the ranges of a report, thread by thread. Ranges that nest take linear time: work is added to the
// innermost range around its call, and from there to the ranges around it. If ranges cross, or calls have no
// duration, WorkByCallEnd is used instead.
class RangeProjector {
  public:
    explicit RangeProjector(const Report& report) : m_report(report), m_slices(report.slices) {}

    // Returns the ranges on these tracks that contain launches.
    std::vector<RangeProjection::Projected> project(const std::vector<TrackId>& tracks,
                                                    const RowChunks<Launch>& all)
    {
        const std::vector<Launch> launches = byCall(all);
        const std::vector<CpuRange> ranges = rangesOf(tracks);
        std::vector<WorkSum> sums(ranges.size());
        if (!addNested(ranges, launches, sums)) addCrossing(ranges, launches, sums);
        std::vector<RangeProjection::Projected> out;
        for (size_t i = 0; i < ranges.size(); ++i) {
            if (sums[i].calls > 0)
                out.push_back({sums[i].start_ns, sums[i].end_ns, ranges[i].slice, sums[i].calls});
        }
        return out;
    }

  private:
    struct CpuRange {
        int64_t start_ns;
        int64_t end_ns;
        SliceId slice;
    };

    // Sorts launches by the starts of their calls. The work of each call is adjacent.
    std::vector<Launch> byCall(const RowChunks<Launch>& all) const
    {
        std::vector<Launch> launches;
        launches.reserve(all.count);
        all.forEach([&](const Launch& launch) { launches.push_back(launch); });
        sortIfNeeded(launches, [&](const Launch& a, const Launch& b) {
            const int64_t startA = m_slices.start_ns[a.call.value], startB = m_slices.start_ns[b.call.value];
            return startA != startB ? startA < startB : a.call < b.call;
        });
        return launches;
    }

    // Returns the ranges on these tracks, sorted by start. Ranges that contain others come before them.
    std::vector<CpuRange> rangesOf(const std::vector<TrackId>& tracks)
    {
        std::vector<CpuRange> ranges;
        for (const TrackId id : tracks) {
            const Track& track = m_report.track(id);
            const uint32_t first = track.firstSlice.value;
            for (uint32_t row = first; row < first + track.sliceCount; ++row) {
                if (isProjectedKind(m_slices.kind[row]))
                    ranges.push_back({m_slices.start_ns[row], endOf(SliceId(row)).ns, SliceId(row)});
            }
        }
        sortIfNeeded(ranges, [](const CpuRange& a, const CpuRange& b) {
            if (a.start_ns != b.start_ns) return a.start_ns < b.start_ns;
            return a.end_ns != b.end_ns ? a.end_ns > b.end_ns : a.slice < b.slice;
        });
        return ranges;
    }

    WorkSum workOf(std::span<const Launch> launches, size_t i) const
    {
        const bool isNew = i == 0 || launches[i - 1].call != launches[i].call;
        const SliceId work = launches[i].work;
        return {m_slices.start(work).ns, m_slices.end(work).ns, isNew ? 1u : 0u};
    }

    // Returns false if the ranges around calls do not nest; the sums are then incomplete.
    bool addNested(std::span<const CpuRange> ranges, std::span<const Launch> launches,
                   std::vector<WorkSum>& sums) const
    {
        std::vector<uint32_t> open; // each range contains the next one
        const auto closeUntil = [&](int64_t time_ns) {
            for (; !open.empty() && ranges[open.back()].end_ns <= time_ns; open.pop_back()) {
                if (open.size() > 1) sums[open[open.size() - 2]].add(sums[open.back()]);
            }
        };
        uint32_t next = 0;
        for (size_t i = 0; i < launches.size(); ++i) {
            const TimeRange call = m_slices.range(launches[i].call);
            if (call.isEmpty()) return false;
            for (; next < ranges.size() && ranges[next].start_ns <= call.begin.ns; ++next) {
                closeUntil(ranges[next].start_ns);
                if (!open.empty() && ranges[open.back()].end_ns < ranges[next].end_ns) return false;
                open.push_back(next);
            }
            closeUntil(call.begin.ns);
            // A range that ends during the call does not contain it.
            const auto around = std::find_if(open.rbegin(), open.rend(), [&](uint32_t range) {
                return ranges[range].end_ns >= call.end.ns;
            });
            if (around != open.rend()) sums[*around].add(workOf(launches, i));
        }
        closeUntil(std::numeric_limits<int64_t>::max());
        return true;
    }

    void addCrossing(std::span<const CpuRange> ranges, std::span<const Launch> launches,
                     std::vector<WorkSum>& sums) const
    {
        std::vector<int64_t> ends;
        ends.reserve(launches.size());
        for (const Launch& launch : launches)
            ends.push_back(m_slices.end(launch.call).ns);
        WorkByCallEnd works(std::move(ends));
        size_t added = launches.size(); // calls at and after this position are added
        for (size_t i = ranges.size(); i-- > 0;) {
            for (; added > 0 && m_slices.start_ns[launches[added - 1].call.value] >= ranges[i].start_ns;
                 --added)
                works.add(m_slices.end(launches[added - 1].call).ns, workOf(launches, added - 1));
            sums[i] = works.until(ranges[i].end_ns);
        }
    }

    TraceTime endOf(SliceId range)
    {
        const TraceTime end = m_slices.end(range);
        const bool isOpen = (m_slices.flags[range.value] & sliceFlag::kOpenEnd) != 0;
        if (!isOpen || m_slices.kind[range.value] == RowKind::userAnnotation) return end;
        if (!m_lastClosed) m_lastClosed = lastClosedEnd(m_report);
        return std::min(end, std::max(m_slices.start(range), *m_lastClosed));
    }

    const Report& m_report;
    const SliceTable& m_slices;
    std::optional<TraceTime> m_lastClosed;
};

} // namespace

RangeProjection::RangeProjection(const Report& report, ProcessId process, DeviceId device, ThreadId thread,
                                 std::vector<Projected> ranges)
    : m_process(process), m_device(device), m_thread(thread)
{
    const SliceTable& slices = report.slices;
    sortIfNeeded(ranges, [&](const Projected& a, const Projected& b) {
        if (a.start_ns != b.start_ns) return a.start_ns < b.start_ns;
        if (a.end_ns != b.end_ns) return a.end_ns > b.end_ns;
        // If projections are equal, the outer range comes first.
        const TimeRange cpuA = slices.range(a.slice), cpuB = slices.range(b.slice);
        if (cpuA.begin != cpuB.begin) return cpuA.begin < cpuB.begin;
        return cpuA.end != cpuB.end ? cpuA.end > cpuB.end : a.slice < b.slice;
    });
    std::vector<int64_t> starts, durations;
    starts.reserve(ranges.size());
    durations.reserve(ranges.size());
    for (const Projected& projected : ranges) {
        starts.push_back(projected.start_ns);
        durations.push_back(projected.end_ns - projected.start_ns);
    }
    std::vector<SliceId> parents(ranges.size());
    std::vector<uint16_t> depths(ranges.size());
    m_rows.resize(nestSlices(starts, durations, SliceId(0u), {parents, depths}));
    int64_t lastEnd = std::numeric_limits<int64_t>::min();
    std::vector<bool> isDrawn(ranges.size(), true);
    for (size_t i = 0; i < ranges.size(); ++i) {
        if (depths[i] + 1 == std::numeric_limits<uint16_t>::max()) {
            isDrawn[i] = starts[i] >= lastEnd;
            if (!isDrawn[i]) continue;
            lastEnd = ranges[i].end_ns;
        }
        Row& row = m_rows[depths[i]];
        const auto category = static_cast<unsigned>(slices.category[ranges[i].slice.value]);
        ++row.count;
        row.mask = static_cast<uint16_t>(row.mask | 1u << category);
        row.isOutermost |= !parents[i].isValid();
    }
    placeRows(report.place);
    std::vector<uint32_t> filled(m_rows.size(), 0);
    m_extent = {{starts.front()}, {ranges.front().end_ns}};
    for (size_t i = 0; i < ranges.size(); ++i) {
        m_extent.end = std::max(m_extent.end, TraceTime{ranges[i].end_ns});
        if (!isDrawn[i]) continue;
        const uint32_t at = m_rows[depths[i]].first + filled[depths[i]]++;
        m_start[at] = starts[i];
        m_duration[at] = durations[i];
        m_slice[at] = ranges[i].slice;
        m_launches[at] = ranges[i].launches;
        m_category[at] = slices.category[ranges[i].slice.value];
    }
    for (const Row& row : m_rows)
        fillRowSums({m_start.data() + row.first, m_duration.data() + row.first, m_category.data() + row.first,
                     nullptr, row.count},
                    row.mask, m_sums, row.at);
}

void RangeProjection::placeRows(const ColumnPlace& place)
{
    uint32_t count = 0;
    RowSumsAt next;
    for (Row& row : m_rows) {
        row.first = count;
        row.at = next;
        count += row.count;
        next = sumsAfter(next, row.count, row.mask);
    }
    m_start = place.derivedColumn<int64_t>(count);
    m_duration = place.derivedColumn<int64_t>(count);
    m_slice = place.derivedColumn<SliceId>(count);
    m_launches = place.derivedColumn<uint32_t>(count);
    m_category = place.derivedColumn<SliceCategory>(count);
    m_sums.start_ns = place.derivedColumn<int64_t>(next.start);
    m_sums.busy_ns = place.derivedColumn<int64_t>(next.busy);
    m_sums.longest_ns = place.derivedColumn<int64_t>(next.longest);
    m_sums.mix_ns = place.derivedColumn<int64_t>(next.mix);
}

LodRow RangeProjection::row(uint16_t depth) const
{
    const Row& row = m_rows[depth];
    RowColumns columns{m_start.data() + row.first, m_duration.data() + row.first,
                       m_category.data() + row.first, nullptr, row.count};
    columns.slice = m_slice.data() + row.first;
    return LodRow(columns, row.mask, {}, m_sums, row.at);
}

std::optional<ProjectedSpan> RangeProjection::of(SliceId range) const
{
    const auto found = std::ranges::find(m_slice, range);
    if (found == m_slice.end()) return std::nullopt;
    const auto at = static_cast<uint32_t>(found - m_slice.begin());
    const auto row = std::prev(std::ranges::upper_bound(m_rows, at, {}, &Row::first));
    return ProjectedSpan{{{m_start[at]}, {m_start[at] + m_duration[at]}},
                         m_launches[at],
                         static_cast<uint16_t>(row - m_rows.begin())};
}

size_t RangeProjection::residentBytes() const
{
    return m_rows.capacity() * sizeof(Row) + m_start.residentBytes() + m_duration.residentBytes() +
           m_slice.residentBytes() + m_launches.residentBytes() + m_category.residentBytes() +
           m_sums.residentBytes();
}

std::vector<RangeProjection> findRangeProjections(const Report& report, const Progress& progress)
{
    std::vector<RangeProjection> out;
    if (report.links.size() == 0 || hasGpuAnnotations(report)) return out;
    const TracksByThread ranges = rangeTracks(report);
    if (ranges.empty()) return out;
    LaunchesByTarget launches = launchesOf(report, ranges, progress);
    RangeProjector projector(report);
    for (auto& [target, ofTarget] : launches) {
        if (progress.isCanceled()) break;
        auto projected = projector.project(ranges.at(target.thread), ofTarget);
        ofTarget = {};
        if (!projected.empty())
            out.emplace_back(report, target.process, target.device, target.thread, std::move(projected));
    }
    return out;
}

} // namespace lockstep
