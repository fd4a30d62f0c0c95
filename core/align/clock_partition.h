// SPDX-License-Identifier: Apache-2.0
// ClockPartition: groups of reports that share one clock, and the position of every clock according to the
// files. Created by partitionClocks(); collectives correct it. Units: ns; the zero of the axis is the
// earliest start.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/trace/workspace.h"

namespace lockstep {

enum class ClockBasis : uint8_t {
    own,         // no other report uses this clock
    systemClock, // same host and boot: joined by ClockDomain::systemAtZero_ns
    hostWall     // same host, timestamps in ns from the host's wall clock (Kineto)
};

struct ClockPartition {
    std::vector<ReportKey> reports; // in workspace order
    ByReport<uint32_t> domain;      // numbered in the order of their first report
    // axis time = timestamp + this value; each report uses its own wall clock
    ByReport<int64_t> utcToAxis_ns;
    ByReport<int64_t> hostToAxis_ns; // same, but reports of one domain are exact relative to each other
    ByReport<ClockBasis> basis;
    ByReport<bool> isHostGuessed; // true if the host is only a guess for some report that shares it
    // true if the report has a wall clock, or shares a domain with a report that has one
    ByReport<bool> isPlaced;
    // Unix time in ns of the zero of the axis; absent if no report has a wall clock.
    std::optional<int64_t> utcAtZero_ns;
    uint32_t domainCount = 0;

    bool sharesClock(ReportKey a, ReportKey b) const { return domain[a] == domain[b]; }
};

// Groups reports. Reports join if the same host is recorded for them (in their content, in a run record or by
// a user; a host inferred from a name is not enough) and either both record the host's system clock and its
// offset agrees with their wall clocks within 1 s (plus the resolution of whole-second texts; a reboot
// between them would break this agreement), or both have ns timestamps of the host's wall clock. Reports
// without a wall clock start at zero, not aligned.
ClockPartition partitionClocks(const Workspace& workspace);

// Gives each report of the domain its own clock. Used for mode wallclock and for domains whose clock turns
// out not to be shared.
void splitDomain(ClockPartition& partition, uint32_t domain);

// Returns, by domain, whether any of its reports is placed.
std::vector<bool> placedDomains(const ClockPartition& partition);

// Returns the session start, or the first timestamp if the report has no session. Report clock.
TraceTime startOf(const Report& report);

} // namespace lockstep
