// SPDX-License-Identifier: Apache-2.0
#include "core/align/shared_clock_check.h"

#include <algorithm>
#include <limits>
#include <map>

#include "core/align/alignment_report.h"

namespace lockstep {

namespace {

constexpr int64_t kStampError_ns = 10'000;

struct SharedMoment {
    int64_t firstEnd_ns = std::numeric_limits<int64_t>::max();
    int64_t lastStart_ns = std::numeric_limits<int64_t>::min();
    ReportKey first;
    bool isOfSeveral = false; // true if several reports took part
};

} // namespace

std::vector<SharedClockCheck> checkSharedClocks(const CollectiveMatches& matches,
                                                const ClockPartition& partition)
{
    std::vector<SharedClockCheck> checks(partition.domainCount);
    std::map<uint32_t, SharedMoment> moments; // starts and ends of one collective, by domain
    for (const MatchedCollective& collective : matches.collectives) {
        if (collective.dependency != Dependency::all) continue;
        moments.clear();
        for (uint32_t i = 0; i < collective.partCount; ++i) {
            const MatchedPart part = matches.parts[collective.firstPart + i];
            const ReportKey report = matches.ranks[part.rank].report;
            const auto [found, isNew] = moments.try_emplace(partition.domain[report]);
            SharedMoment& moment = found->second;
            if (isNew) moment.first = report;
            moment.isOfSeveral = moment.isOfSeveral || moment.first != report;
            const int64_t toAxis_ns = partition.hostToAxis_ns[report];
            moment.firstEnd_ns = std::min(moment.firstEnd_ns, matches.at(part).end.ns + toAxis_ns);
            moment.lastStart_ns = std::max(moment.lastStart_ns, matches.at(part).start.ns + toAxis_ns);
        }
        for (const auto& [domain, moment] : moments) {
            if (!moment.isOfSeveral) continue;
            SharedClockCheck& check = checks[domain];
            ++check.collectives;
            const int64_t gap_ns = moment.lastStart_ns - moment.firstEnd_ns;
            if (gap_ns <= kStampError_ns) continue;
            ++check.contradicted;
            check.worst_ns = std::max(check.worst_ns, gap_ns);
        }
    }
    return checks;
}

std::string contradictionText(const SharedClockCheck& check)
{
    if (check.contradicted == 0) return {};
    return std::to_string(check.contradicted) + " of " + std::to_string(check.collectives) +
           " collectives contradict the shared clock: they ended in one report up to " +
           errorText(check.worst_ns) + " before they began in another";
}

} // namespace lockstep
