// SPDX-License-Identifier: Apache-2.0
// ClockPartition: which reports of a workspace read one clock, and where every clock stands by what the files
// state. Made by partitionClocks(); the ground that collectives correct. Units: ns; the axis' zero is the
// earliest start.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/trace/workspace.h"

namespace lockstep {

enum class ClockBasis : uint8_t {
    own,         // nobody else reads this clock
    systemClock, // same host and boot: joined by ClockDomain::systemAtZero_ns
    hostWall     // same host, ns stamps of the host's wall clock (Kineto)
};

struct ClockPartition {
    std::vector<ReportKey> reports;  // as the workspace has them
    ByReport<uint32_t> domain;       // numbered in the order of their first report
    ByReport<int64_t> utcToAxis_ns;  // axis = stamp + this, each report by its own wall clock
    ByReport<int64_t> hostToAxis_ns; // the same, but exact within a domain
    ByReport<ClockBasis> basis;
    ByReport<bool> isHostGuessed;        // a guess alone says that its host is another report's too
    ByReport<bool> isPlaced;             // states a wall clock, or shares a domain with one that does
    std::optional<int64_t> utcAtZero_ns; // Unix-epoch ns of the axis' zero; absent when no report states one
    uint32_t domainCount = 0;

    bool sharesClock(ReportKey a, ReportKey b) const { return domain[a] == domain[b]; }
};

// Reports join when the same host is stated for them (by their content, a run record or a user; what a name
// lets guess makes no two clocks one) and either both state the host's system clock and the offset
// between them agrees within 1 s (plus the resolution of second-wide texts) with their wall clocks, as a
// reboot between them would break, or both are stamped in ns of the host's wall clock. Reports without a wall
// clock start at zero, unplaced.
ClockPartition partitionClocks(const Workspace& workspace);

// Each report by itself: what mode wallclock shows and what is left when a shared clock proves wrong.
void splitDomain(ClockPartition& partition, uint32_t domain);

// By domain: whether any of its reports is placed.
std::vector<bool> placedDomains(const ClockPartition& partition);

// Session start, or the first stamp of a report without a session. Report clock.
TraceTime startOf(const Report& report);

} // namespace lockstep
