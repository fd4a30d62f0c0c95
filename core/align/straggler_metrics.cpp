// SPDX-License-Identifier: Apache-2.0
#include "core/align/straggler_metrics.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "core/align/collective_fit.h"
#include "core/align/late_activity.h"

namespace lockstep {

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
    std::vector<uint32_t> wanted;
    for (const uint32_t i : m_collectives) {
        if (isTimed(m_matches.collectives[i])) wanted.push_back(i);
    }
    m_out.timings.resize(wanted.size());
    constexpr size_t kChunk = 64;
    m_workers.run((wanted.size() + kChunk - 1) / kChunk, [&](size_t chunk, size_t) {
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
