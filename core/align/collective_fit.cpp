// SPDX-License-Identifier: Apache-2.0
#include "core/align/collective_fit.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/align/robust_statistics.h"

namespace lockstep {

namespace {

// reports of one host whose clocks differ by more than this do not share a clock
constexpr double kSameClock_ns = 50'000;
// beyond this offset, the product of drift and offset amounts to nanoseconds
constexpr double kRetimeOffset_ns = 100e6;
constexpr size_t kMinForSplit = 10;
constexpr uint64_t kMinRefuting = 3;

// Returns, for each report, the median delay of its ends relative to the median end of its domain; 0 if there
// are too few collectives.
ByReport<double> strayOf(const CollectiveMatches& matches, const ClockPartition& partition)
{
    ByReport<std::vector<double>> differences(partition.domain.slotCount());
    std::map<uint32_t, std::vector<std::pair<ReportKey, double>>> ends; // by domain: (report, end)
    for (const MatchedCollective& collective : matches.collectives) {
        if (collective.dependency != Dependency::all) continue;
        ends.clear();
        for (uint32_t i = 0; i < collective.partCount; ++i) {
            const MatchedPart part = matches.parts[collective.firstPart + i];
            const ReportKey report = matches.ranks[part.rank].report;
            const int64_t end = matches.at(part).end.ns + partition.hostToAxis_ns[report];
            ends[partition.domain[report]].emplace_back(report, static_cast<double>(end));
        }
        for (auto& [domain, held] : ends) {
            if (held.front().first == held.back().first) continue;
            std::vector<double> values;
            for (const auto& [report, end] : held)
                values.push_back(end);
            const double middle = median(values);
            for (const auto& [report, end] : held)
                differences[report].push_back(end - middle);
        }
    }
    ByReport<double> stray(partition.domain.slotCount());
    for (const ReportKey key : partition.reports) {
        if (differences[key].size() >= kMinForSplit) stray[key] = median(differences[key]);
    }
    return stray;
}

// Returns true if most collectives contradict the shared clock and chance cannot explain it. The reports are
// then given separate clocks. Fewer contradictions are only reported, see SharedClockCheck.
bool isRefuted(const SharedClockCheck& check)
{
    return check.contradicted >= kMinRefuting && check.contradicted * 2 > check.collectives;
}

void splitStrayHosts(const Workspace& workspace, CollectiveFit& out)
{
    if (out.partition.domainCount == out.partition.reports.size()) return;
    const ByReport<double> stray = strayOf(out.matches, out.partition);
    const std::vector<SharedClockCheck> checks = checkSharedClocks(out.matches, out.partition);
    std::set<uint32_t> domains;
    for (const ReportKey key : out.partition.reports) {
        const uint32_t domain = out.partition.domain[key];
        const bool isStray = std::abs(stray[key]) > kSameClock_ns;
        if (!isStray && !isRefuted(checks[domain])) continue;
        if (!domains.insert(domain).second) continue;
        out.splitHosts.push_back(
            "the reports of host " + workspace.identity(key).host.value.value_or("") +
            " are treated as having different clocks: " +
            (isStray ? "their collectives end more than 50 us apart" : contradictionText(checks[domain])));
    }
    for (const uint32_t domain : domains)
        splitDomain(out.partition, domain);
}

} // namespace

bool CollectiveFit::isAnyApplied() const
{
    return std::ranges::any_of(verdicts, &DomainVerdict::isApplied);
}

Result<std::shared_ptr<const CollectiveFit>>
fitCollectives(const Workspace& workspace, const MatchOptions& options, const Progress& progress)
{
    auto out = std::make_shared<CollectiveFit>();
    out->partition = partitionClocks(workspace);
    out->matches = matchCollectives(workspace, out->partition, options, progress);
    LOCKSTEP_TRY(progress.check());
    splitStrayHosts(workspace, *out);
    out->shared = checkSharedClocks(out->matches, out->partition);
    out->table = buildAnchors(out->matches, out->partition);
    const std::vector<bool> isPlaced = placedDomains(out->partition);
    LOCKSTEP_TRY(progress.check());
    out->fit = fitClocks(out->table, isPlaced, progress.workers());
    const bool isFar = std::ranges::any_of(out->fit.domains, [](const DomainFit& domain) {
        return std::abs(domain.line.offset_ns) > kRetimeOffset_ns;
    });
    if (isFar) {
        retime(out->table, out->fit.commonEnd_ns);
        out->fit = fitClocks(out->table, isPlaced, progress.workers());
    }
    LOCKSTEP_TRY(progress.check());
    out->bounds = boundClocks(out->table, out->fit, progress.workers());
    out->verdicts = judgeClocks(out->matches, out->partition, out->shared, out->table, out->fit, out->bounds);
    return out;
}

} // namespace lockstep
