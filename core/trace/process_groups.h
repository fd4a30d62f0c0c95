// SPDX-License-Identifier: Apache-2.0
// ProcessGroups: which parts of which reports show one and the same process of the job: the nsys, Kineto and
// memory files that one worker left behind, step after step. Pure; any thread.
#pragma once

#include <cstdint>
#include <vector>

#include "core/trace/workspace.h"

namespace lockstep {

struct ProcessMember {
    ReportKey report;
    ProcessId process;

    friend auto operator<=>(const ProcessMember&, const ProcessMember&) = default;
};

struct ProcessGroup {
    std::vector<ProcessMember> members; // by report
    bool isTimeKnown = true;            // false: a member has no wall clock, so only its names joined it
};

// Every process of every report with a pid above 0, or unknown, is in exactly one group; pseudo processes
// (negative pid, or made up by an exporter) are in none. Two members are one process when host and pid are
// known and equal and their captures overlap; or when host and pid, or rank and pid, or (where a pid is
// unknown) run, role, rank and host agree and nothing that is known for sure says otherwise. Rank 0 of two
// roles is two processes. A member that fits several groups stays alone. Wall clocks come from
// ClockDomain::utcAtZero_ns; stamps known to whole seconds count as a second wider on both sides. Groups in
// the order of their first member. O(members log members) while few processes share one rank.
std::vector<ProcessGroup> findProcessGroups(const Workspace& workspace);

// Settles the identities of a workspace together: what one report of a process knows, its other reports learn
// where they know less surely: run, host, role, ranks, world size and replica, never step, stage, tool or
// capture. Call it after the last add(); stated parts stay as stated.
void settleIdentities(Workspace& workspace);

} // namespace lockstep
