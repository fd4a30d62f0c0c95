// SPDX-License-Identifier: Apache-2.0
#include "core/scene/lateness.h"

#include <algorithm>

#include "core/align/collective_fit.h"
#include "core/align/straggler_metrics.h"

namespace lockstep {

namespace {

struct Wait {
    int64_t begin_ns;
    int64_t end_ns;
};

ActivityBuckets bucketsOf(std::vector<Wait>& waits)
{
    std::ranges::sort(waits, {}, &Wait::begin_ns);
    std::vector<int64_t> start, duration;
    int64_t end = 0;
    for (const Wait& wait : waits) {
        const int64_t begin = start.empty() ? wait.begin_ns : std::max(wait.begin_ns, end);
        if (begin >= wait.end_ns) continue;
        start.push_back(begin);
        duration.push_back(wait.end_ns - begin);
        end = wait.end_ns;
    }
    const auto count = static_cast<uint32_t>(start.size());
    if (count == 0) return {};
    const std::vector<SliceCategory> category(count, SliceCategory::communication);
    const RowSums none;
    return ActivityBuckets(
        LodRow({start.data(), duration.data(), category.data(), nullptr, count}, 1, {}, none, {}));
}

} // namespace

const RankLate* Lateness::of(ReportKey report, ProcessId process) const
{
    auto found = m_ranks.find({report, process});
    // If a report represents one rank, its collectives do not belong to a single process.
    if (found == m_ranks.end()) found = m_ranks.find({report, ProcessId()});
    return found == m_ranks.end() ? nullptr : &found->second;
}

std::shared_ptr<const Lateness> measureLateness(const Workspace& workspace, const Alignment& alignment,
                                                const Workers& workers)
{
    auto out = std::make_shared<Lateness>();
    if (!alignment.collectives) return out;
    const CollectiveMatches& matches = alignment.collectives->matches;
    std::vector<RankLate> ranks(matches.ranks.size());
    std::vector<std::vector<Wait>> waits(ranks.size());
    for (const CollectiveTiming& timing : timeCollectives(workspace, alignment, matches, workers)) {
        const MatchedCollective& collective = matches.collectives[timing.collective];
        for (uint32_t i = 0; i < collective.partCount; ++i) {
            const MatchedPart part = matches.parts[collective.firstPart + i];
            const Collective& c = matches.at(part);
            const int64_t waited_ns = (c.end - c.start).ns - timing.transfer_ns;
            RankLate& rank = ranks[part.rank];
            ++rank.collectives;
            rank.waited_ns += waited_ns;
            if (waited_ns > 0) waits[part.rank].push_back({c.start.ns, c.start.ns + waited_ns});
            if (part.rank != timing.lastRank) continue;
            ++rank.timesLast;
            rank.caused_ns += timing.imbalance_ns;
        }
    }
    for (size_t i = 0; i < ranks.size(); ++i) {
        if (ranks[i].collectives == 0) continue;
        ranks[i].waits = bucketsOf(waits[i]);
        out->m_ranks[{matches.ranks[i].report, matches.ranks[i].process}] = std::move(ranks[i]);
    }
    return out;
}

} // namespace lockstep
