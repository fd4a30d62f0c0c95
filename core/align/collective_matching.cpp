// SPDX-License-Identifier: Apache-2.0
#include "core/align/collective_matching.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/align/collective_source.h"
#include "core/align/group_matching.h"
#include "core/align/robust_statistics.h"
#include "core/align/worlds.h"
#include "core/base/text.h"

namespace lockstep {

namespace {

constexpr double kLargestScatter_ns = 1e6;
constexpr double kTight_ns = 100'000;      // pairs whose ends are closer than this need no other evidence
constexpr double kTighterThanStarts = 0.5; // otherwise the ends must be closer than the starts by this factor

struct Pair {
    size_t collective = 0;
    double time_ns = 0;
    double ends_ns = 0; // second rank's end minus first rank's end, on the coarse axis
    double starts_ns = 0;
};

// Returns the residuals of the differences from their fitted line; x is time.
std::vector<double> residualsOf(const std::vector<Pair>& pairs, double Pair::*difference)
{
    std::vector<SeriesPoint> series;
    for (const Pair& pair : pairs)
        series.push_back({pair.time_ns, pair.*difference});
    std::vector<double> scratch;
    const double slope = longSpanSlope(series, scratch);
    std::vector<double> level;
    for (const SeriesPoint& p : series)
        level.push_back(p.y - slope * p.x);
    std::vector<double> sorted = level;
    const double middle = median(sorted);
    for (double& value : level)
        value -= middle;
    return level;
}

double medianSize(std::vector<double> values)
{
    for (double& value : values)
        value = std::abs(value);
    return median(values);
}

class PairMeasure {
  public:
    PairMeasure(const std::vector<CollectiveRank>& ranks, const ClockPartition& partition,
                GroupMatching& matching)
        : m_ranks(ranks), m_partition(partition), m_matching(matching), m_out(matching.group.pairs)
    {
    }

    void run()
    {
        collect();
        if (m_matching.multiPeerExchanges > 0) {
            refuse(std::to_string(m_matching.multiPeerExchanges) +
                   " SendRecv not used: more than two ranks may take part, and the peers are not recorded");
        }
        if (m_pairs.empty()) return;
        m_out.pairCount = static_cast<uint32_t>(m_pairs.size());
        const std::string why = reasonAgainst();
        if (why.empty()) {
            use();
        } else {
            refuse(std::to_string(m_pairs.size()) + " send/receive pairs not used: " + why);
        }
    }

  private:
    bool isPair(const MatchedCollective& c) const
    {
        return c.dependency == Dependency::exchange || c.dependency == Dependency::send;
    }
    int64_t toAxis(MatchedPart part) const { return m_partition.hostToAxis_ns[m_ranks[part.rank].report]; }

    void collect()
    {
        for (size_t i = 0; i < m_matching.collectives.size(); ++i) {
            const MatchedCollective& c = m_matching.collectives[i];
            if (!isPair(c) || c.partCount != 2) continue;
            MatchedPart first = m_matching.parts[c.firstPart], second = m_matching.parts[c.firstPart + 1];
            if (second.rank < first.rank) std::swap(first, second);
            const Collective& a = m_ranks[first.rank].collectives[first.collective];
            const Collective& b = m_ranks[second.rank].collectives[second.collective];
            const auto axisDifference = static_cast<double>(toAxis(second) - toAxis(first));
            if (m_pairs.empty()) m_origin = a.end;
            m_pairs.push_back({i, static_cast<double>((a.end - m_origin).ns),
                               static_cast<double>((b.end - a.end).ns) + axisDifference,
                               static_cast<double>((b.start - a.start).ns) + axisDifference});
            m_isOneClock = m_partition.sharesClock(m_ranks[first.rank].report, m_ranks[second.rank].report);
            m_isOfLargerJob |=
                m_ranks[first.rank].worldSize > 2 && m_ranks[first.rank].worldSize != CollectiveOp::kAbsent;
        }
        std::ranges::sort(m_pairs, {}, &Pair::time_ns);
    }

    // Returns why the pairs are not used; empty if they can be used.
    std::string reasonAgainst()
    {
        const auto collectives = static_cast<size_t>(
            std::ranges::count(m_matching.collectives, Dependency::all, &MatchedCollective::dependency));
        if (collectives >= kMinAnchors) {
            return std::to_string(collectives) +
                   " collectives of the same ranks determine the clocks more precisely";
        }
        if (m_pairs.size() < kMinAnchors)
            return std::to_string(kMinAnchors) + " are needed to estimate how closely they end together";
        m_residuals = residualsOf(m_pairs, &Pair::ends_ns);
        m_out.scatter_ns = medianSize(m_residuals);
        if (m_out.scatter_ns > kLargestScatter_ns)
            return "their end times scatter by " + nsText(m_out.scatter_ns) + " (limit: 1 ms)";
        const double starts = medianSize(residualsOf(m_pairs, &Pair::starts_ns));
        if (m_out.scatter_ns > kTight_ns && m_out.scatter_ns > kTighterThanStarts * starts) {
            return "their end times scatter by " + nsText(m_out.scatter_ns) +
                   ", barely less than their start times (" + nsText(starts) +
                   "): neither side appears to wait for the other";
        }
        return {};
    }

    void use()
    {
        // Ends that happen to agree to the nanosecond still have some scatter.
        const double limit = std::max(kPairOutlier * m_out.scatter_ns, kPairFloor_ns);
        std::vector<double> endDifferences;
        for (size_t i = 0; i < m_pairs.size(); ++i) {
            const bool isTogether = std::abs(m_residuals[i]) <= limit;
            m_matching.collectives[m_pairs[i].collective].endsTogether = isTogether;
            m_out.usedCount += isTogether ? 1 : 0;
            endDifferences.push_back(m_isOneClock ? m_pairs[i].ends_ns : m_residuals[i]);
        }
        m_out.separation_ns = medianSize(std::move(endDifferences));
        const bool mayBeOthers = !m_matching.group.isNamed && m_isOfLargerJob;
        const bool isUnstated =
            m_matching.collectives[m_pairs[0].collective].dependency == Dependency::exchange;
        if (isUnstated && !mayBeOthers)
            m_out.slack_ns = std::max(kPairSlack * m_out.scatter_ns, kPairFloor_ns);
        if (m_out.usedCount == m_out.pairCount) return;
        refuse(std::to_string(m_out.pairCount - m_out.usedCount) + " of " + std::to_string(m_out.pairCount) +
               " send/receive pairs not used: they did not end together like the others");
    }

    void refuse(const std::string& why)
    {
        std::string& refusal = m_matching.group.refusal;
        refusal += (refusal.empty() ? "" : "; ") + why;
    }

    const std::vector<CollectiveRank>& m_ranks;
    const ClockPartition& m_partition;
    GroupMatching& m_matching;
    PairEnds& m_out;
    std::vector<Pair> m_pairs;
    std::vector<double> m_residuals;
    TraceTime m_origin;
    bool m_isOneClock = false;
    bool m_isOfLargerJob = false;
};

} // namespace

std::string pairEndsText(const PairEnds& ends)
{
    return std::to_string(ends.usedCount) + " send/receive pairs whose end times are " +
           nsText(ends.separation_ns) + " apart in the median";
}

void measurePairEnds(const std::vector<CollectiveRank>& ranks, const ClockPartition& partition,
                     GroupMatching& matching)
{
    PairMeasure(ranks, partition, matching).run();
}

namespace {

std::vector<CollectiveRank> ranksOf(const Workspace& workspace, const Progress& progress)
{
    std::vector<std::vector<CollectiveRank>> byReport(workspace.size());
    progress.workers().run(workspace.size(), [&](size_t i, size_t) {
        if (!progress.isCanceled()) byReport[i] = collectivesOf(workspace, workspace.keys()[i]);
    });
    std::vector<CollectiveRank> ranks;
    for (auto& some : byReport)
        std::ranges::move(some, std::back_inserter(ranks));
    return ranks;
}

// Marks the first and the last collective of a trace. These were often in progress when recording began or
// stopped.
void markEdges(CollectiveRank& rank)
{
    if (rank.collectives.empty()) return;
    std::ranges::min_element(rank.collectives, {}, &Collective::start)->isAtEdge = true;
    std::ranges::max_element(rank.collectives, {}, &Collective::end)->isAtEdge = true;
}

GroupMatching unmatchedGroup(const std::vector<CollectiveRank>& ranks, const GroupUnion& group)
{
    GroupMatching matching = emptyMatching(group);
    matching.group.isNamed = !group.name.empty();
    matching.group.refusal = group.refusal;
    for (const GroupMember member : group.members)
        matching.group.unmatched += collectivesOfMember(ranks, member).size();
    return matching;
}

std::vector<GroupMatching> matchGroup(const std::vector<CollectiveRank>& ranks, const GroupUnion& group,
                                      const ClockPartition& partition, const MatchOptions& options,
                                      const Progress& progress)
{
    if (!group.refusal.empty()) return {unmatchedGroup(ranks, group)};
    if (group.isPointToPoint) return matchPointToPoint(ranks, group, partition, options);
    const bool isNumbered = std::ranges::all_of(group.members, [&](GroupMember member) {
        const auto list = collectivesOfMember(ranks, member);
        const auto with = std::ranges::count_if(
            list, [](const Collective& c) { return c.sequence != CollectiveOp::kAbsentCount; });
        return static_cast<size_t>(with) * 10 >= list.size() * 9;
    });
    if (isNumbered) return {matchBySequence(ranks, group, partition)};
    return matchByPattern(ranks, group, partition, options, progress);
}

void append(CollectiveMatches& matches, GroupMatching&& matching)
{
    const auto group = static_cast<uint32_t>(matches.groups.size());
    const auto firstPart = static_cast<uint32_t>(matches.parts.size());
    for (MatchedCollective collective : matching.collectives) {
        collective.group = group;
        collective.firstPart += firstPart;
        matches.collectives.push_back(collective);
    }
    matches.parts.insert(matches.parts.end(), matching.parts.begin(), matching.parts.end());
    matches.groups.push_back(std::move(matching.group));
}

} // namespace

CollectiveMatches matchCollectives(const Workspace& workspace, const ClockPartition& partition,
                                   const MatchOptions& options, const Progress& progress)
{
    CollectiveMatches matches;
    matches.ranks = ranksOf(workspace, progress);
    if (progress.isCanceled()) return {};
    joinUnsizedWorlds(matches.ranks);
    separateWorlds(matches.ranks, workspace, partition);
    unifyMixedWorlds(matches.ranks, workspace);
    for (CollectiveRank& rank : matches.ranks)
        markEdges(rank);
    const std::vector<GroupUnion> unions = mergeGroups(matches.ranks, workspace, partition);
    std::vector<std::vector<GroupMatching>> found(unions.size());
    progress.workers().run(unions.size(), [&](size_t i, size_t) {
        if (progress.isCanceled()) return;
        found[i] = matchGroup(matches.ranks, unions[i], partition, options, progress);
        for (GroupMatching& matching : found[i])
            measurePairEnds(matches.ranks, partition, matching);
    });
    for (auto& some : found) {
        for (GroupMatching& matching : some)
            append(matches, std::move(matching));
    }
    return matches;
}

} // namespace lockstep
