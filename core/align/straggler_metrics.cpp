// SPDX-License-Identifier: Apache-2.0
#include "core/align/straggler_metrics.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "core/align/collective_fit.h"

namespace lockstep {

namespace {

constexpr int64_t kLookBack_ns = 50'000'000; // how far back to search for work
// idle time before a collective that the launch does not explain
constexpr int64_t kHostBoundGap_ns = 20'000;

// Returns the slice on the track that starts last before `time`, at the deepest level.
SliceId lastStartedBefore(const Report& report, const Track& track, TraceTime time)
{
    const auto begin = report.slices.start_ns.begin() + track.firstSlice.value;
    const auto after = std::lower_bound(begin, begin + track.sliceCount, time.ns);
    if (after == begin) return {};
    return SliceId(track.firstSlice.value + static_cast<uint32_t>(after - begin) - 1);
}

SliceId lastComputeBefore(const Report& report, const TrackKey& gpu, TraceTime time)
{
    SliceId best;
    for (const Track& track : report.tracks) {
        if (track.key.kind != TrackKind::gpuStream || track.key.process != gpu.process ||
            track.key.device != gpu.device) {
            continue;
        }
        SliceId slice = lastStartedBefore(report, track, time);
        // Skips communication on the same stream; going back a few slices is sufficient.
        while (slice.isValid() && report.slices.category[slice.value] == SliceCategory::communication) {
            const bool isFirst = slice == track.firstSlice;
            slice = isFirst ? SliceId() : SliceId(slice.value - 1);
            if (slice.isValid() && (time - report.slices.end(slice)).ns > kLookBack_ns) slice = SliceId();
        }
        if (!slice.isValid() || (time - report.slices.end(slice)).ns > kLookBack_ns) continue;
        if (!best.isValid() || report.slices.end(slice) > report.slices.end(best)) best = slice;
    }
    return best;
}

// The time in a window by slice name, and the slice with the largest part of it.
class TimeByName {
  public:
    void add(StringId name, SliceId slice, int64_t time_ns)
    {
        if (time_ns <= 0) return;
        Entry& entry = m_entries[name];
        entry.total_ns += time_ns;
        m_total_ns += time_ns;
        if (time_ns > entry.most_ns) {
            entry.most_ns = time_ns;
            entry.slice = slice;
        }
    }
    int64_t total_ns() const { return m_total_ns; }
    SliceId dominant() const
    {
        const auto most =
            std::ranges::max_element(m_entries, {}, [](const auto& entry) { return entry.second.total_ns; });
        return most == m_entries.end() ? SliceId() : most->second.slice;
    }

  private:
    struct Entry {
        int64_t total_ns = 0;
        int64_t most_ns = 0;
        SliceId slice;
    };
    std::map<StringId, Entry> m_entries;
    int64_t m_total_ns = 0;
};

int64_t overlap_ns(const Report& report, SliceId slice, TimeRange window)
{
    const int64_t begin = std::max(report.slices.start_ns[slice.value], window.begin.ns);
    return std::max<int64_t>(0, std::min(report.slices.end(slice).ns, window.end.ns) - begin);
}

// Calls visit for each slice of the track that overlaps the window. Slices that began before the window are
// found through the parents of the first slice inside. Slices of equal depth do not overlap.
template<class Visit>
void forEachIn(const Report& report, const Track& track, TimeRange window, const Visit& visit)
{
    SliceId outer = lastStartedBefore(report, track, window.begin);
    const uint32_t next = outer.isValid() ? outer.value + 1 : track.firstSlice.value;
    for (; outer.isValid(); outer = report.slices.parent[outer.value])
        visit(outer);
    const uint32_t end = track.firstSlice.value + track.sliceCount;
    for (uint32_t i = next; i < end && report.slices.start_ns[i] < window.end.ns; ++i)
        visit(SliceId(i));
}

// Returns the GPU work in the window, except communication.
TimeByName workIn(const Report& report, const TrackKey& gpu, TimeRange window)
{
    TimeByName work;
    for (const Track& track : report.tracks) {
        if (track.key.kind != TrackKind::gpuStream || track.key.process != gpu.process ||
            track.key.device != gpu.device) {
            continue;
        }
        forEachIn(report, track, window, [&](SliceId slice) {
            if (report.slices.category[slice.value] == SliceCategory::communication) return;
            work.add(report.slices.name[slice.value], slice, overlap_ns(report, slice, window));
        });
    }
    return work;
}

bool isHostTrack(const Track& track, ThreadId thread)
{
    const bool isKind = track.key.kind == TrackKind::ops || track.key.kind == TrackKind::nvtx ||
                        track.key.kind == TrackKind::cudaApi || track.key.kind == TrackKind::python;
    return isKind && track.key.thread == thread;
}

// Returns the thread's activity, excluding child slices: ops and annotations if the thread has any, otherwise
// calls.
SliceId hostWorkIn(const Report& report, ThreadId thread, TimeRange window)
{
    SliceId best;
    int64_t most_ns = 0;
    for (const Track& track : report.tracks) {
        if (!isHostTrack(track, thread)) continue;
        std::map<SliceId, int64_t> own;
        forEachIn(report, track, window, [&](SliceId slice) {
            const int64_t time_ns = overlap_ns(report, slice, window);
            own[slice] += time_ns;
            const SliceId parent = report.slices.parent[slice.value];
            if (parent.isValid()) own[parent] -= time_ns;
        });
        TimeByName byName;
        for (const auto& [slice, time_ns] : own)
            byName.add(report.slices.name[slice.value], slice, time_ns);
        if (byName.total_ns() > most_ns) {
            most_ns = byName.total_ns();
            best = byName.dominant();
        }
    }
    return best;
}

bool isAnnotation(RowKind kind)
{
    return kind == RowKind::userAnnotation || kind == RowKind::nvtxPushPop || kind == RowKind::nvtxStartEnd;
}

// Returns the innermost annotation of the thread that contains `time`, except NCCL's own annotations and
// profiler steps.
SliceId annotationAt(const Report& report, ThreadId thread, TraceTime time)
{
    SliceId best;
    for (const Track& track : report.tracks) {
        const bool isKind = track.key.kind == TrackKind::ops || track.key.kind == TrackKind::nvtx;
        if (!isKind || track.key.thread != thread) continue;
        SliceId slice = lastStartedBefore(report, track, {time.ns + 1});
        for (; slice.isValid(); slice = report.slices.parent[slice.value]) {
            const std::string_view name = report.nameOf(slice);
            if (report.slices.end(slice) <= time || !isAnnotation(report.slices.kind[slice.value]) ||
                name.starts_with("nccl") || name.starts_with("ProfilerStep")) {
                continue;
            }
            if (!best.isValid() || report.slices.start(slice) > report.slices.start(best)) best = slice;
            break;
        }
    }
    return best;
}

} // namespace

LateActivity activityBefore(const Report& report, SliceId collective)
{
    const TraceTime start = report.slices.start(collective);
    const TrackKey& gpu = report.track(report.trackOf(collective)).key;
    LateActivity activity;
    activity.slice = lastComputeBefore(report, gpu, start);
    const bool wasIdle =
        !activity.slice.isValid() || (start - report.slices.end(activity.slice)).ns > kHostBoundGap_ns;
    const Link* launch = report.links.to(collective);
    if (launch != nullptr) {
        const ThreadId thread = report.track(report.trackOf(launch->cause)).key.thread;
        activity.annotation = annotationAt(report, thread, report.slices.start(launch->cause));
    }
    if (!wasIdle || launch == nullptr) return activity;
    // The launch came after the GPU had become idle. The host was therefore late, and the cause is its
    // activity before the launch.
    const TraceTime called = report.slices.start(launch->cause);
    if (activity.slice.isValid() && called <= report.slices.end(activity.slice)) return activity;
    activity.isHostBound = true;
    const TrackKey& caller = report.track(report.trackOf(launch->cause)).key;
    for (const Track& track : report.tracks) {
        if (track.key.kind != TrackKind::ops || track.key.thread != caller.thread) continue;
        SliceId slice = lastStartedBefore(report, track, called);
        while (slice.isValid() && report.slices.end(slice) < called)
            slice = report.slices.parent[slice.value];
        if (slice.isValid()) activity.slice = slice;
    }
    return activity;
}

LateActivity lateActivity(const Report& report, SliceId collective, Duration late)
{
    LateActivity activity = activityBefore(report, collective);
    const TraceTime start = report.slices.start(collective);
    const TimeRange window{{start.ns - late.ns}, start};
    if (late.ns <= 0) return activity;
    const TimeByName work = workIn(report, report.track(report.trackOf(collective)).key, window);
    activity.isHostBound = work.total_ns() * 2 < late.ns;
    if (!activity.isHostBound) {
        activity.slice = work.dominant();
        return activity;
    }
    const Link* launch = report.links.to(collective);
    if (launch == nullptr) return activity;
    const ThreadId thread = report.track(report.trackOf(launch->cause)).key.thread;
    // The host's window ends with the launch, because later activity did not delay the collective.
    const TraceTime called = std::min(start, report.slices.start(launch->cause));
    const SliceId own = hostWorkIn(report, thread, {{called.ns - late.ns}, called});
    if (own.isValid()) activity.slice = own;
    return activity;
}

namespace {

constexpr size_t kMaxActivities = 5;

struct LateArrival {
    const Collective* collective;
    Duration late;
};

struct PartTiming {
    int64_t duration_ns;
    TraceTime start; // aligned
    uint32_t rank;
};

class StragglerMeasure {
  public:
    StragglerMeasure(const Workspace& workspace, const Alignment& alignment, const CollectiveMatches& matches,
                     std::span<const uint32_t> collectives, const Workers& workers)
        : m_workspace(workspace), m_alignment(alignment), m_matches(matches), m_collectives(collectives),
          m_workers(workers)
    {
    }

    StragglerMetrics run()
    {
        timeCollectives();
        rankLateness();
        return std::move(m_out);
    }

    std::vector<CollectiveTiming> timings()
    {
        timeCollectives();
        return std::move(m_out.timings);
    }

  private:
    const ClockMap& mapOf(uint32_t rank) const { return m_alignment.map(m_matches.ranks[rank].report); }
    CollectiveTiming timingOf(uint32_t index) const;
    void compareStarts(const std::vector<PartTiming>& parts, CollectiveTiming& timing) const;
    void timeCollectives();
    void rankLateness();
    void findActivities(RankLateness& lateness, const std::vector<LateArrival>& late) const;

    const Workspace& m_workspace;
    const Alignment& m_alignment;
    const CollectiveMatches& m_matches;
    std::span<const uint32_t> m_collectives;
    const Workers& m_workers;
    StragglerMetrics m_out;
};

void StragglerMeasure::compareStarts(const std::vector<PartTiming>& parts, CollectiveTiming& timing) const
{
    const auto byStart = [](const PartTiming& a, const PartTiming& b) {
        return std::pair(a.start, a.rank) < std::pair(b.start, b.rank);
    };
    const auto [first, last] = std::ranges::minmax_element(parts, byStart);
    timing.firstStart = first->start;
    const auto reportOf = [&](const PartTiming& part) { return m_matches.ranks[part.rank].report; };
    const auto errorOf = [&](const PartTiming& a, const PartTiming& b) {
        const PairError error = m_alignment.errorBetween(reportOf(a), reportOf(b));
        return error.likely_ns ? error.likely_ns : error.guaranteed_ns;
    };
    const auto error_ns = errorOf(*first, *last);
    if (!error_ns) return;
    timing.skew_ns = (last->start - first->start).ns;
    timing.skewError_ns = *error_ns;
    timing.lastByStart = last->rank;
    if (last->rank == timing.lastRank) return;
    const auto byDuration = std::ranges::find(parts, timing.lastRank, &PartTiming::rank);
    const int64_t allowed = errorOf(*byDuration, *last).value_or(*error_ns);
    // Ends scatter as well. Therefore, the shortest duration is significant only if another duration is
    // longer by more than the error of the starts.
    timing.isDisputed = (last->start - byDuration->start).ns > allowed &&
                        last->duration_ns - byDuration->duration_ns > allowed;
}

CollectiveTiming StragglerMeasure::timingOf(uint32_t index) const
{
    const MatchedCollective& collective = m_matches.collectives[index];
    std::vector<PartTiming> parts;
    for (uint32_t i = 0; i < collective.partCount; ++i) {
        const MatchedPart part = m_matches.parts[collective.firstPart + i];
        const Collective& c = m_matches.at(part);
        parts.push_back({(c.end - c.start).ns, mapOf(part.rank).alignedFromTrace(c.start), part.rank});
    }
    const auto byDuration = [](const PartTiming& a, const PartTiming& b) {
        return std::pair(a.duration_ns, a.rank) < std::pair(b.duration_ns, b.rank);
    };
    const auto [shortest, longest] = std::ranges::minmax_element(parts, byDuration);
    CollectiveTiming timing;
    timing.collective = index;
    timing.lastRank = shortest->rank;
    timing.transfer_ns = shortest->duration_ns;
    timing.imbalance_ns = longest->duration_ns - shortest->duration_ns;
    for (const PartTiming& part : parts)
        timing.totalWait_ns += part.duration_ns - timing.transfer_ns;
    compareStarts(parts, timing);
    return timing;
}

void StragglerMeasure::timeCollectives()
{
    std::vector<uint32_t> indices;
    for (const uint32_t i : m_collectives) {
        if (isTimed(m_matches.collectives[i])) indices.push_back(i);
    }
    m_out.timings.resize(indices.size());
    constexpr size_t kChunk = 64;
    m_workers.run((indices.size() + kChunk - 1) / kChunk, [&](size_t chunk, size_t) {
        for (size_t i = chunk * kChunk; i < std::min(indices.size(), (chunk + 1) * kChunk); ++i) {
            m_out.timings[i] = timingOf(indices[i]);
        }
    });
    m_out.disputed =
        static_cast<uint64_t>(std::ranges::count_if(m_out.timings, &CollectiveTiming::isDisputed));
}

void StragglerMeasure::rankLateness()
{
    std::vector<RankLateness> all(m_matches.ranks.size());
    std::vector<int64_t> imbalance(all.size(), 0);
    std::vector<std::vector<LateArrival>> late(all.size());
    for (const CollectiveTiming& timing : m_out.timings) {
        const MatchedCollective& collective = m_matches.collectives[timing.collective];
        for (uint32_t i = 0; i < collective.partCount; ++i) {
            const MatchedPart part = m_matches.parts[collective.firstPart + i];
            const Collective& c = m_matches.at(part);
            RankLateness& lateness = all[part.rank];
            ++lateness.collectives;
            lateness.totalWait_ns += (c.end - c.start).ns - timing.transfer_ns;
            imbalance[part.rank] += timing.imbalance_ns;
            if (part.rank != timing.lastRank) continue;
            ++lateness.timesLast;
            lateness.causedWait_ns += timing.imbalance_ns;
            late[part.rank].push_back({&c, {timing.imbalance_ns}});
        }
    }
    m_workers.run(all.size(), [&](size_t rank, size_t) {
        all[rank].rank = static_cast<uint32_t>(rank);
        all[rank].score = imbalance[rank] > 0 ? static_cast<double>(all[rank].causedWait_ns) /
                                                    static_cast<double>(imbalance[rank])
                                              : 0;
        findActivities(all[rank], late[rank]);
    });
    std::erase_if(all, [](const RankLateness& lateness) { return lateness.collectives == 0; });
    std::ranges::sort(all, [](const RankLateness& a, const RankLateness& b) {
        return a.causedWait_ns != b.causedWait_ns ? a.causedWait_ns > b.causedWait_ns : a.rank < b.rank;
    });
    m_out.ranks = std::move(all);
}

void StragglerMeasure::findActivities(RankLateness& lateness, const std::vector<LateArrival>& late) const
{
    const Report& report = m_workspace.report(m_matches.ranks[lateness.rank].report);
    std::map<StringId, uint64_t> counts;
    int64_t most_ns = -1;
    for (const LateArrival& arrival : late) {
        if (arrival.late.ns > most_ns) {
            most_ns = arrival.late.ns;
            lateness.worst = arrival.collective->slice;
        }
        const LateActivity activity = lateActivity(report, arrival.collective->slice, arrival.late);
        lateness.timesHostBound += activity.isHostBound ? 1 : 0;
        if (activity.slice.isValid()) ++counts[report.slices.name[activity.slice.value]];
    }
    lateness.activities.assign(counts.begin(), counts.end());
    std::ranges::sort(lateness.activities, [](const auto& a, const auto& b) {
        return a.second != b.second ? a.second > b.second : a.first < b.first;
    });
    if (lateness.activities.size() > kMaxActivities) lateness.activities.resize(kMaxActivities);
}

std::vector<uint32_t> allOf(const CollectiveMatches& matches)
{
    std::vector<uint32_t> all(matches.collectives.size());
    std::iota(all.begin(), all.end(), 0u);
    return all;
}

} // namespace

StragglerMetrics measureStragglers(const Workspace& workspace, const Alignment& alignment,
                                   const CollectiveMatches& matches, std::span<const uint32_t> collectives,
                                   const Workers& workers)
{
    return StragglerMeasure(workspace, alignment, matches, collectives, workers).run();
}

StragglerMetrics measureStragglers(const Workspace& workspace, const Alignment& alignment,
                                   const CollectiveMatches& matches, const Workers& workers)
{
    return measureStragglers(workspace, alignment, matches, allOf(matches), workers);
}

std::vector<CollectiveTiming> timeCollectives(const Workspace& workspace, const Alignment& alignment,
                                              const CollectiveMatches& matches, const Workers& workers)
{
    const std::vector<uint32_t> all = allOf(matches);
    return StragglerMeasure(workspace, alignment, matches, all, workers).timings();
}

StragglerMetrics measureStragglers(const Workspace& workspace, const Alignment& alignment,
                                   const Workers& workers)
{
    if (alignment.collectives)
        return measureStragglers(workspace, alignment, alignment.collectives->matches, workers);
    const CollectiveMatches matches =
        matchCollectives(workspace, partitionClocks(workspace), {}, Progress(workers));
    return measureStragglers(workspace, alignment, matches, workers);
}

} // namespace lockstep
