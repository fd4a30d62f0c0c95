#include "core/align/collective_fit.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/align/robust_statistics.h"

namespace lockstep {

namespace {

constexpr double kSameClock_ns = 50'000;   // reports of one host that differ by more do not share a clock
constexpr double kRetimeOffset_ns = 100e6; // beyond this, drift times offset is worth nanoseconds
constexpr size_t kFewestForSplit = 10;

// By report: median of how much later its ends are than the median end of its domain; 0 with too few to tell.
std::vector<double> strayOf(const CollectiveMatches& matches, const ClockPartition& partition)
{
    std::vector<std::vector<double>> differences(partition.domain.size());
    std::map<uint32_t, std::vector<std::pair<uint32_t, double>>> ends; // by domain: report, end
    for (const MatchedCollective& collective : matches.collectives) {
        if (collective.dependency != Dependency::all) continue;
        ends.clear();
        for (uint32_t i = 0; i < collective.partCount; ++i) {
            const MatchedPart part = matches.parts[collective.firstPart + i];
            const uint32_t report = matches.ranks[part.rank].report.value;
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
    std::vector<double> stray(partition.domain.size(), 0);
    for (size_t i = 0; i < stray.size(); ++i) {
        if (differences[i].size() >= kFewestForSplit) stray[i] = median(differences[i]);
    }
    return stray;
}

void splitStrayHosts(const Workspace& workspace, CollectiveFit& out)
{
    if (out.partition.domainCount == out.partition.domain.size()) return;
    const std::vector<double> stray = strayOf(out.matches, out.partition);
    std::set<uint32_t> domains;
    for (size_t i = 0; i < stray.size(); ++i) {
        if (std::abs(stray[i]) <= kSameClock_ns) continue;
        if (domains.insert(out.partition.domain[i]).second) {
            out.splitHosts.push_back(workspace.identity(ReportId(i)).host.value.value_or(""));
        }
    }
    for (const uint32_t domain : domains)
        splitDomain(out.partition, domain);
}

std::vector<bool> placedDomains(const ClockPartition& partition)
{
    std::vector<bool> isPlaced(partition.domainCount, false);
    for (size_t i = 0; i < partition.domain.size(); ++i) {
        if (partition.isPlaced[i]) isPlaced[partition.domain[i]] = true;
    }
    return isPlaced;
}

} // namespace

bool CollectiveFit::isAnyApplied() const
{
    return std::ranges::any_of(verdicts, &DomainVerdict::isApplied);
}

std::shared_ptr<const CollectiveFit> fitCollectives(const Workspace& workspace, const MatchOptions& options)
{
    auto out = std::make_shared<CollectiveFit>();
    out->partition = partitionClocks(workspace);
    out->matches = matchCollectives(workspace, out->partition, options);
    splitStrayHosts(workspace, *out);
    out->table = buildAnchors(out->matches, out->partition);
    const std::vector<bool> isPlaced = placedDomains(out->partition);
    out->fit = fitClocks(out->table, isPlaced);
    const bool isFar = std::ranges::any_of(out->fit.domains, [](const DomainFit& domain) {
        return std::abs(domain.line.offset_ns) > kRetimeOffset_ns;
    });
    if (isFar) {
        retime(out->table, out->fit.meeting_ns);
        out->fit = fitClocks(out->table, isPlaced);
    }
    out->bounds = boundClocks(out->table, out->fit);
    out->verdicts = judgeClocks(out->matches, out->partition, out->table, out->fit, out->bounds);
    return out;
}

} // namespace lockstep
