#include "core/align/straggler_metrics.h"

#include <algorithm>
#include <map>

#include "core/align/collective_fit.h"
#include "core/base/parallel.h"

namespace lockstep {

namespace {

constexpr int64_t kReach_ns = 50'000'000;    // how far back work is looked for
constexpr int64_t kHostBoundGap_ns = 20'000; // idle before a collective that its launch does not explain
constexpr size_t kMostActivities = 5;

struct PartTiming {
    int64_t duration_ns;
    TraceTime start; // aligned
    uint32_t rank;
};

class StragglerMeasure {
  public:
    StragglerMeasure(const Workspace& workspace, const Alignment& alignment, const CollectiveMatches& matches)
        : m_workspace(workspace), m_alignment(alignment), m_matches(matches)
    {
    }

    StragglerMetrics run()
    {
        timeCollectives();
        rankLateness();
        return std::move(m_out);
    }

  private:
    const ClockMap& mapOf(uint32_t rank) const { return m_alignment.map(m_matches.ranks[rank].report); }
    CollectiveTiming timingOf(uint32_t index) const;
    void compareStarts(const std::vector<PartTiming>& parts, CollectiveTiming& timing) const;
    void timeCollectives();
    void rankLateness();
    void findActivities(RankLateness& lateness, const std::vector<const Collective*>& late) const;

    const Workspace& m_workspace;
    const Alignment& m_alignment;
    const CollectiveMatches& m_matches;
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
    const PairError error = m_alignment.errorBetween(reportOf(*first), reportOf(*last));
    if (!error.likely_ns) return;
    timing.skew_ns = (last->start - first->start).ns;
    timing.skewError_ns = *error.likely_ns;
    timing.lastByStart = last->rank;
    if (last->rank == timing.lastRank) return;
    const auto byDuration = std::ranges::find(parts, timing.lastRank, &PartTiming::rank);
    const PairError between = m_alignment.errorBetween(reportOf(*byDuration), reportOf(*last));
    const int64_t allowed = between.likely_ns.value_or(*error.likely_ns);
    // Ends scatter too: the shortest stay is only clear when another stayed longer by more than the starts'
    // doubt.
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
    std::vector<uint32_t> wanted;
    for (uint32_t i = 0; i < m_matches.collectives.size(); ++i) {
        if (m_matches.collectives[i].dependency == Dependency::all) wanted.push_back(i);
    }
    m_out.timings.resize(wanted.size());
    constexpr size_t kChunk = 64;
    parallelFor((wanted.size() + kChunk - 1) / kChunk, [&](size_t chunk, size_t) {
        for (size_t i = chunk * kChunk; i < std::min(wanted.size(), (chunk + 1) * kChunk); ++i) {
            m_out.timings[i] = timingOf(wanted[i]);
        }
    });
    m_out.disputed =
        static_cast<uint64_t>(std::ranges::count_if(m_out.timings, &CollectiveTiming::isDisputed));
}

void StragglerMeasure::rankLateness()
{
    std::vector<RankLateness> all(m_matches.ranks.size());
    std::vector<int64_t> imbalance(all.size(), 0);
    std::vector<std::vector<const Collective*>> late(all.size());
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
            late[part.rank].push_back(&c);
        }
    }
    parallelFor(all.size(), [&](size_t rank, size_t) {
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

void StragglerMeasure::findActivities(RankLateness& lateness,
                                      const std::vector<const Collective*>& late) const
{
    const Report& report = m_workspace.report(m_matches.ranks[lateness.rank].report);
    std::map<StringId, uint64_t> counts;
    for (const Collective* collective : late) {
        const LateActivity activity = activityBefore(report, collective->slice);
        lateness.timesHostBound += activity.isHostBound ? 1 : 0;
        if (activity.slice.isValid()) ++counts[report.slices.name[activity.slice.value]];
    }
    lateness.activities.assign(counts.begin(), counts.end());
    std::ranges::sort(lateness.activities, [](const auto& a, const auto& b) {
        return a.second != b.second ? a.second > b.second : a.first < b.first;
    });
    if (lateness.activities.size() > kMostActivities) lateness.activities.resize(kMostActivities);
}

// The last slice of the track that starts before `time`, at the deepest level.
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
        // Communication on the same stream is passed over; a few steps back are enough to be past it.
        while (slice.isValid() && report.slices.category[slice.value] == SliceCategory::communication) {
            const bool isFirst = slice == track.firstSlice;
            slice = isFirst ? SliceId() : SliceId(slice.value - 1);
            if (slice.isValid() && (time - report.slices.end(slice)).ns > kReach_ns) slice = SliceId();
        }
        if (!slice.isValid() || (time - report.slices.end(slice)).ns > kReach_ns) continue;
        if (!best.isValid() || report.slices.end(slice) > report.slices.end(best)) best = slice;
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
    if (!wasIdle || launch == nullptr) return activity;
    // The launch came after the GPU had run dry: the host was late. What it did before says why.
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

StragglerMetrics measureStragglers(const Workspace& workspace, const Alignment& alignment,
                                   const CollectiveMatches& matches)
{
    return StragglerMeasure(workspace, alignment, matches).run();
}

StragglerMetrics measureStragglers(const Workspace& workspace, const Alignment& alignment)
{
    if (alignment.collectives) return measureStragglers(workspace, alignment, alignment.collectives->matches);
    return measureStragglers(workspace, alignment, matchCollectives(workspace, partitionClocks(workspace)));
}

} // namespace lockstep
