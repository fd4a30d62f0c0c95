#include "core/readers/identity/same_process.h"

#include <algorithm>
#include <map>
#include <utility>

namespace lockstep {

namespace {

struct Candidate {
    ProcessMember member;
    std::optional<TimeRange> wall; // Unix-epoch ns
};

std::optional<TimeRange> wallRange(const Report& report)
{
    if (!report.clock.utcAtZero_ns || report.extent.isEmpty()) return std::nullopt;
    const Duration zero{*report.clock.utcAtZero_ns};
    const Duration slack{report.clock.utcResolution_ns};
    return TimeRange{report.extent.begin + zero - slack, report.extent.end + zero + slack};
}

// Candidates of one host and pid into groups of chained overlap; those without a time go with the first
// group.
void groupOverlaps(const std::pair<std::string, int64_t>& who, std::vector<Candidate> candidates,
                   std::vector<ProcessGroup>& out)
{
    std::ranges::stable_sort(candidates, {},
                             [](const Candidate& c) { return c.wall ? c.wall->begin.ns : INT64_MAX; });
    const size_t first = out.size();
    TraceTime reach;
    for (const Candidate& candidate : candidates) {
        const bool isNew = out.size() == first || (candidate.wall && candidate.wall->begin >= reach);
        if (isNew) out.push_back({who.first, who.second, {}, true});
        ProcessGroup& group = candidate.wall ? out.back() : out[first];
        group.members.push_back(candidate.member);
        group.isTimeKnown &= candidate.wall.has_value() || group.members.size() == 1;
        if (candidate.wall) reach = isNew ? candidate.wall->end : std::max(reach, candidate.wall->end);
    }
    for (size_t i = first; i < out.size(); ++i)
        std::ranges::sort(out[i].members);
}

} // namespace

std::vector<ProcessGroup> groupSameProcess(const Workspace& workspace,
                                           const std::vector<Identity>& identities)
{
    std::map<std::pair<std::string, int64_t>, std::vector<Candidate>> byProcess;
    for (size_t i = 0; i < workspace.size() && i < identities.size(); ++i) {
        const ReportId id(i);
        const Report& report = workspace.report(id);
        const Identity& identity = identities[i];
        if (!identity.host.isKnown()) continue;
        const bool isOnly =
            std::ranges::count_if(report.processes, [](const Process& p) { return p.pid > 0; }) <= 1;
        for (size_t p = 0; p < report.processes.size(); ++p) {
            int64_t pid = report.processes[p].pid;
            if (pid <= 0 && isOnly) pid = identity.pid.value.value_or(0);
            if (pid <= 0) continue;
            const std::string& host = report.processes[p].identity.host.value.value_or(*identity.host.value);
            byProcess[{host, pid}].push_back({{id, ProcessId(p)}, wallRange(report)});
        }
    }
    std::vector<ProcessGroup> groups;
    for (auto& [who, candidates] : byProcess)
        groupOverlaps(who, std::move(candidates), groups);
    std::ranges::sort(groups, {}, [](const ProcessGroup& group) { return group.members.front(); });
    return groups;
}

} // namespace lockstep
