// SPDX-License-Identifier: Apache-2.0
#include "core/align/clock_partition.h"

#include <algorithm>
#include <array>
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

// Properties that identify a machine or its boot, and that files record in addition to the host name.
constexpr std::array<std::string_view, 2> kMachineFacts{"Host uid", "Boot id"};

std::string_view factOf(const Report& report, std::string_view name)
{
    const auto found =
        std::ranges::find_if(report.facts, [&](const auto& fact) { return fact.first == name; });
    return found == report.facts.end() ? std::string_view() : std::string_view(found->second);
}

// Returns true for different machines with the same host name, which is common for containers.
bool areOtherMachines(const Report& a, const Report& b)
{
    return std::ranges::any_of(kMachineFacts, [&](std::string_view name) {
        const std::string_view first = factOf(a, name), second = factOf(b, name);
        return !first.empty() && !second.empty() && first != second;
    });
}

// Returns the clock shared by two reports of one host, if any.
std::optional<ClockBasis> sharedBasis(const Report& a, const Report& b)
{
    if (areOtherMachines(a, b)) return {};
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

// Returns, for each report, whether its host is a guess that also occurs for other reports.
ByReport<bool> guessedHosts(const Workspace& workspace)
{
    std::map<std::string, size_t> reportsOfHost;
    for (const ReportKey key : workspace.keys()) {
        const auto& host = workspace.identity(key).host;
        if (host.isKnown()) ++reportsOfHost[*host.value];
    }
    ByReport<bool> isGuessed(workspace.slotCount());
    for (const ReportKey key : workspace.keys()) {
        const auto& host = workspace.identity(key).host;
        isGuessed[key] =
            host.isKnown() && host.confidence < Confidence::stated && reportsOfHost[*host.value] > 1;
    }
    return isGuessed;
}

// Returns a partition in which every report has its own clock.
ClockPartition partitionOfOwnClocks(const Workspace& workspace)
{
    ClockPartition partition;
    partition.reports = workspace.keys();
    for (const ReportKey key : partition.reports) {
        const Report& report = workspace.report(key);
        if (!report.clock.utcAtZero_ns) continue;
        const int64_t start_ns = *report.clock.utcAtZero_ns + startOf(report).ns;
        partition.utcAtZero_ns = std::min(partition.utcAtZero_ns.value_or(start_ns), start_ns);
    }
    partition.isHostGuessed = guessedHosts(workspace);
    partition.domain = ByReport<uint32_t>(workspace.slotCount());
    partition.basis = ByReport<ClockBasis>(workspace.slotCount(), ClockBasis::own);
    partition.isPlaced = ByReport<bool>(workspace.slotCount());
    partition.utcToAxis_ns = ByReport<int64_t>(workspace.slotCount());
    for (const ReportKey key : partition.reports) {
        const Report& report = workspace.report(key);
        partition.isPlaced[key] = report.clock.utcAtZero_ns.has_value();
        partition.utcToAxis_ns[key] = report.clock.utcAtZero_ns
                                          ? *report.clock.utcAtZero_ns - *partition.utcAtZero_ns
                                          : -startOf(report).ns;
    }
    partition.hostToAxis_ns = partition.utcToAxis_ns;
    return partition;
}

} // namespace

TraceTime startOf(const Report& report)
{
    return report.session.isEmpty() ? report.extent.begin : report.session.begin;
}

ClockPartition partitionClocks(const Workspace& workspace)
{
    ClockPartition partition = partitionOfOwnClocks(workspace);
    std::map<std::string, std::vector<ReportKey>> firstsOfHost; // the first report of each domain, by host
    for (const ReportKey key : partition.reports) {
        const Report& report = workspace.report(key);
        partition.domain[key] = partition.domainCount;
        const auto& host = workspace.identity(key).host;
        std::vector<ReportKey> unknown; // reports of unknown hosts do not share clocks
        const bool isStated = host.isKnown() && host.confidence >= Confidence::stated;
        std::vector<ReportKey>& firsts = isStated ? firstsOfHost[*host.value] : unknown;
        for (const ReportKey first : firsts) {
            const Report& other = workspace.report(first);
            const auto basis = sharedBasis(report, other);
            if (!basis) continue;
            partition.domain[key] = partition.domain[first];
            partition.basis[key] = partition.basis[first] = *basis;
            if (*basis == ClockBasis::systemClock) {
                partition.hostToAxis_ns[key] = partition.hostToAxis_ns[first] +
                                               *report.clock.systemAtZero_ns - *other.clock.systemAtZero_ns;
            }
            break;
        }
        if (partition.domain[key] == partition.domainCount) {
            firsts.push_back(key);
            ++partition.domainCount;
        }
    }
    return partition;
}

void splitDomain(ClockPartition& partition, uint32_t domain)
{
    bool isFirst = true;
    for (const ReportKey key : partition.reports) {
        if (partition.domain[key] != domain) continue;
        partition.basis[key] = ClockBasis::own;
        partition.hostToAxis_ns[key] = partition.utcToAxis_ns[key];
        if (!isFirst) partition.domain[key] = partition.domainCount++;
        isFirst = false;
    }
}

std::vector<bool> placedDomains(const ClockPartition& partition)
{
    std::vector<bool> isPlaced(partition.domainCount, false);
    for (const ReportKey key : partition.reports) {
        if (partition.isPlaced[key]) isPlaced[partition.domain[key]] = true;
    }
    return isPlaced;
}

} // namespace lockstep
