// SPDX-License-Identifier: Apache-2.0
#include "core/align/worlds.h"

#include <algorithm>
#include <set>

#include "core/align/collective_source.h"

namespace lockstep {

namespace {

// Returns the tool whose group names a rank uses; empty if the rank has no group names.
std::string groupNamingTool(const CollectiveRank& rank, const Report& report)
{
    const bool isNamed = std::ranges::any_of(rank.groups, &CollectiveGroup::isNamed);
    return isNamed ? report.provenance.tool : std::string();
}

void useKernelGroups(CollectiveRank& rank, const Workspace& workspace)
{
    std::vector<CollectiveRank> kernelRanks = collectivesOf(workspace, rank.report, CollectiveView::byKernel);
    const auto same = std::ranges::find(kernelRanks, rank.process, &CollectiveRank::process);
    if (same == kernelRanks.end()) return; // without GPU kernels, the recorded groups are kept
    same->world = rank.world;
    rank = std::move(*same);
}

} // namespace

std::map<std::string, int> duplicateRanks(const std::vector<CollectiveRank>& ranks,
                                          const Workspace& workspace, const ClockPartition& partition)
{
    const auto onAxis = [&](ReportKey id) {
        const Duration toAxis{partition.hostToAxis_ns[id]};
        const TimeRange range = workspace.report(id).extent;
        return TimeRange{range.begin + toAxis, range.end + toAxis};
    };
    const auto overlap = [&](ReportKey a, ReportKey b) {
        if (!partition.isPlaced[a] || !partition.isPlaced[b]) return true;
        return onAxis(a).overlaps(onAxis(b));
    };
    std::map<std::pair<std::string, int>, std::vector<ReportKey>> reportsByRank;
    for (const CollectiveRank& rank : ranks) {
        if (rank.rank >= 0) reportsByRank[{rank.world, rank.rank}].push_back(rank.report);
    }
    std::map<std::string, int> duplicates;
    for (const auto& [owner, reports] : reportsByRank) {
        for (size_t i = 0; i < reports.size(); ++i) {
            for (size_t j = i + 1; j < reports.size(); ++j) {
                if (overlap(reports[i], reports[j])) duplicates.try_emplace(owner.first, owner.second);
            }
        }
    }
    return duplicates;
}

void joinUnsizedWorlds(std::vector<CollectiveRank>& ranks)
{
    const auto jobOf = [](const std::string& world) { return world.substr(0, world.rfind('|') + 1); };
    std::map<std::string, std::set<std::string>> sized; // worlds with a known size, by run and role
    for (const CollectiveRank& rank : ranks) {
        if (!rank.world.ends_with('|')) sized[jobOf(rank.world)].insert(rank.world);
    }
    for (CollectiveRank& rank : ranks) {
        const auto found = sized.find(rank.world);
        if (found != sized.end() && found->second.size() == 1) rank.world = *found->second.begin();
    }
}

void unifyMixedWorlds(std::vector<CollectiveRank>& ranks, const Workspace& workspace)
{
    std::map<std::string, std::set<std::string>> toolsByWorld;
    for (const CollectiveRank& rank : ranks)
        toolsByWorld[rank.world].insert(groupNamingTool(rank, workspace.report(rank.report)));
    for (CollectiveRank& rank : ranks) {
        if (toolsByWorld[rank.world].size() > 1 &&
            std::ranges::any_of(rank.groups, &CollectiveGroup::isNamed))
            useKernelGroups(rank, workspace);
    }
}

void separateWorlds(std::vector<CollectiveRank>& ranks, const Workspace& workspace,
                    const ClockPartition& partition)
{
    const auto duplicates = duplicateRanks(ranks, workspace, partition);
    for (CollectiveRank& rank : ranks) {
        if (!duplicates.contains(rank.world)) continue;
        rank.world += "|" + workspace.report(rank.report).provenance.path.parent_path().string();
    }
}

} // namespace lockstep
