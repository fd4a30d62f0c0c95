// SPDX-License-Identifier: Apache-2.0
#include "core/align/snapshot_clocks.h"

#include <algorithm>

#include "core/trace/process_groups.h"

namespace lockstep {

namespace {

constexpr int64_t kReadings_ns = 5'000; // possible difference between two readings of the same wall clock

// Returns true for memory snapshots; other files with memory have their own clocks.
bool isSnapshot(const Report& report)
{
    return report.memory != nullptr && report.memory->isOfAllocator();
}

bool isPlacedBetter(const ClockMap& map)
{
    return map.method == AlignMethod::collectives || map.method == AlignMethod::exchange ||
           map.method == AlignMethod::reference || map.method == AlignMethod::host;
}

TimeRange wallOf(const Report& report)
{
    const Duration zero{*report.clock.utcAtZero_ns};
    return {report.extent.begin + zero, report.extent.end + zero};
}

// Returns the report of the same process whose clock is the best known one for the snapshot; invalid if there
// is no such report.
ReportKey guideOf(const Workspace& workspace, const ByReport<ClockMap>& maps, ReportKey snapshot,
                  const ProcessGroup& group)
{
    ReportKey best;
    int64_t longest_ns = -1;
    for (const ProcessMember& member : group.members) {
        const Report& report = workspace.report(member.report);
        if (member.report == snapshot || isSnapshot(report) || !report.clock.utcAtZero_ns ||
            !isPlacedBetter(maps[member.report]))
            continue;
        const TimeRange both = wallOf(report).clippedTo(wallOf(workspace.report(snapshot)));
        const int64_t overlap_ns = std::max<int64_t>(0, both.length().ns);
        if (overlap_ns <= longest_ns) continue;
        longest_ns = overlap_ns;
        best = member.report;
    }
    return best;
}

// Returns the map for the timestamps of a clock that is behind the clock of another report by `ahead`, given
// the map of that report.
ClockMap movedMap(ClockMap map, Duration ahead)
{
    map.offset_ns += ahead.ns;
    map.driftOrigin = map.driftOrigin - ahead;
    for (ClockStep& step : map.steps)
        step.at = step.at - ahead;
    return map;
}

} // namespace

void alignSnapshots(const Workspace& workspace, ByReport<ClockMap>& maps)
{
    const auto isWallSnapshot = [&](ReportKey key) {
        const Report& report = workspace.report(key);
        return isSnapshot(report) && report.clock.utcAtZero_ns && maps[key].method == AlignMethod::wallclock;
    };
    if (std::ranges::none_of(workspace.keys(), isWallSnapshot)) return;
    for (const ProcessGroup& group : findProcessGroups(workspace)) {
        for (const ProcessMember& member : group.members) {
            if (!isWallSnapshot(member.report)) continue;
            const ReportKey guide = guideOf(workspace, maps, member.report, group);
            if (!guide.isValid()) continue;
            const ClockDomain& own = workspace.report(member.report).clock;
            const ClockDomain& other = workspace.report(guide).clock;
            ClockMap& map = maps[member.report];
            map = movedMap(maps[guide], {*own.utcAtZero_ns - *other.utcAtZero_ns});
            if (map.method == AlignMethod::reference) map.method = AlignMethod::host;
            map.anchorsUsed = map.violationsBefore = map.violationsAfter = 0;
            const int64_t readings_ns = std::max(kReadings_ns, own.utcResolution_ns + other.utcResolution_ns);
            map.domainError_ns += readings_ns;
            for (std::optional<int64_t>* const error : {&map.bound_ns, &map.error_ns}) {
                if (*error) **error += readings_ns;
            }
            if (map.guaranteed)
                map.guaranteed = ClockInterval{map.guaranteed->earliest_ns - readings_ns,
                                               map.guaranteed->latest_ns + readings_ns};
            map.reason = "the wall clock of the process's machine, recorded in " +
                         workspace.report(guide).provenance.path.filename().string() + ": " +
                         maps[guide].reason;
        }
    }
}

} // namespace lockstep
