#include "core/align/clock_partition.h"

#include <algorithm>
#include <cstdlib>
#include <map>

namespace lockstep {

namespace {

constexpr int64_t kSameBoot_ns = 1'000'000'000;

bool isHostWall(const Report& report)
{
    return report.clock.utcAtZero_ns && report.clock.utcResolution_ns <= 1 && !report.clock.systemAtZero_ns &&
           report.clock.name.find("Unix epoch") != std::string::npos;
}

// Of two reports of one host.
std::optional<ClockBasis> sharedBasis(const Report& a, const Report& b)
{
    if (!a.clock.utcAtZero_ns || !b.clock.utcAtZero_ns) return {};
    if (a.clock.systemAtZero_ns && b.clock.systemAtZero_ns) {
        const int64_t bySystem = *a.clock.systemAtZero_ns - *b.clock.systemAtZero_ns;
        const int64_t byUtc = *a.clock.utcAtZero_ns - *b.clock.utcAtZero_ns;
        const int64_t coarse = std::max(a.clock.utcResolution_ns, b.clock.utcResolution_ns);
        const int64_t allowed = kSameBoot_ns + (coarse > 1 ? coarse : 0);
        return std::abs(bySystem - byUtc) < allowed ? std::optional(ClockBasis::systemClock) : std::nullopt;
    }
    return isHostWall(a) && isHostWall(b) ? std::optional(ClockBasis::hostWall) : std::nullopt;
}

// By report: its host is guessed, and is said of other reports as well.
std::vector<bool> guessedHosts(const Workspace& workspace)
{
    std::map<std::string, size_t> reportsOfHost;
    for (size_t i = 0; i < workspace.size(); ++i) {
        const auto& host = workspace.identity(ReportId(i)).host;
        if (host.isKnown()) ++reportsOfHost[*host.value];
    }
    std::vector<bool> isGuessed;
    for (size_t i = 0; i < workspace.size(); ++i) {
        const auto& host = workspace.identity(ReportId(i)).host;
        isGuessed.push_back(host.isKnown() && host.confidence < Confidence::stated &&
                            reportsOfHost[*host.value] > 1);
    }
    return isGuessed;
}

} // namespace

TraceTime startOf(const Report& report)
{
    return report.session.isEmpty() ? report.extent.begin : report.session.begin;
}

ClockPartition partitionClocks(const Workspace& workspace)
{
    ClockPartition partition;
    for (const auto& report : workspace.reports()) {
        if (!report->clock.utcAtZero_ns) continue;
        const int64_t start_ns = *report->clock.utcAtZero_ns + startOf(*report).ns;
        partition.utcAtZero_ns = std::min(partition.utcAtZero_ns.value_or(start_ns), start_ns);
    }
    partition.isHostGuessed = guessedHosts(workspace);
    std::map<std::string, std::vector<size_t>> firstsOfHost; // the first report of each domain, by host
    std::vector<size_t> firstOfDomain;
    for (size_t i = 0; i < workspace.size(); ++i) {
        const Report& report = workspace.report(ReportId(i));
        partition.isPlaced.push_back(report.clock.utcAtZero_ns.has_value());
        partition.utcToAxis_ns.push_back(report.clock.utcAtZero_ns
                                             ? *report.clock.utcAtZero_ns - *partition.utcAtZero_ns
                                             : -startOf(report).ns);
        partition.hostToAxis_ns.push_back(partition.utcToAxis_ns.back());
        partition.basis.push_back(ClockBasis::own);
        partition.domain.push_back(partition.domainCount);
        const auto& host = workspace.identity(ReportId(i)).host;
        std::vector<size_t> unknown; // nothing is said of hosts that are not known
        const bool isStated = host.isKnown() && host.confidence >= Confidence::stated;
        std::vector<size_t>& firsts = isStated ? firstsOfHost[*host.value] : unknown;
        for (const size_t first : firsts) {
            const Report& other = workspace.report(ReportId(first));
            const auto basis = sharedBasis(report, other);
            if (!basis) continue;
            partition.domain.back() = partition.domain[first];
            partition.basis.back() = partition.basis[first] = *basis;
            if (*basis == ClockBasis::systemClock) {
                partition.hostToAxis_ns.back() = partition.hostToAxis_ns[first] +
                                                 *report.clock.systemAtZero_ns - *other.clock.systemAtZero_ns;
            }
            break;
        }
        if (partition.domain.back() == partition.domainCount) {
            firsts.push_back(i);
            ++partition.domainCount;
        }
    }
    return partition;
}

void splitDomain(ClockPartition& partition, uint32_t domain)
{
    bool isFirst = true;
    for (size_t i = 0; i < partition.domain.size(); ++i) {
        if (partition.domain[i] != domain) continue;
        partition.basis[i] = ClockBasis::own;
        partition.hostToAxis_ns[i] = partition.utcToAxis_ns[i];
        if (!isFirst) partition.domain[i] = partition.domainCount++;
        isFirst = false;
    }
}

} // namespace lockstep
