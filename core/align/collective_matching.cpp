// SPDX-License-Identifier: Apache-2.0
#include "core/align/collective_matching.h"

#include <algorithm>

#include "core/align/collective_source.h"
#include "core/align/group_matching.h"
#include "core/align/worlds.h"

namespace lockstep {

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

GroupMatching refused(const std::vector<CollectiveRank>& ranks, const GroupUnion& group)
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
    if (!group.refusal.empty()) return {refused(ranks, group)};
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
