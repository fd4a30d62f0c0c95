#include "core/align/worlds.h"

namespace lockstep {

std::map<std::string, int> doubledRanks(const std::vector<CollectiveRank>& ranks, const Workspace& workspace,
                                        const ClockPartition& partition)
{
    const auto onAxis = [&](ReportId id) {
        const Duration toAxis{partition.hostToAxis_ns[id.value]};
        const TimeRange range = workspace.report(id).extent;
        return TimeRange{range.begin + toAxis, range.end + toAxis};
    };
    const auto overlap = [&](ReportId a, ReportId b) {
        if (!partition.isPlaced[a.value] || !partition.isPlaced[b.value]) return true;
        return onAxis(a).overlaps(onAxis(b));
    };
    std::map<std::pair<std::string, int>, std::vector<ReportId>> holders;
    for (const CollectiveRank& rank : ranks) {
        if (rank.rank >= 0) holders[{rank.world, rank.rank}].push_back(rank.report);
    }
    std::map<std::string, int> doubled;
    for (const auto& [who, reports] : holders) {
        for (size_t i = 0; i < reports.size(); ++i) {
            for (size_t j = i + 1; j < reports.size(); ++j) {
                if (overlap(reports[i], reports[j])) doubled.try_emplace(who.first, who.second);
            }
        }
    }
    return doubled;
}

void separateWorlds(std::vector<CollectiveRank>& ranks, const Workspace& workspace,
                    const ClockPartition& partition)
{
    const auto doubled = doubledRanks(ranks, workspace, partition);
    for (CollectiveRank& rank : ranks) {
        if (!doubled.contains(rank.world)) continue;
        rank.world += "|" + workspace.report(rank.report).provenance.path.parent_path().string();
    }
}

} // namespace lockstep
