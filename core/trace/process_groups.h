// SPDX-License-Identifier: Apache-2.0
// ProcessGroups: the parts of reports that show the same process of a job, such as the nsys, Kineto and
// memory files that one worker writes step after step. Pure; any thread.
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
    bool isTimeKnown = true;            // false if a member without a wall clock was joined by name only
};

// Groups processes. Every process with a pid above 0, or an unknown pid, is in exactly one group; pseudo
// processes (negative pid, or invented by an exporter) are not in any group. Two members are one process if
// host and pid are known and equal and their captures overlap; or if host and pid, or rank and pid, or (for
// an unknown pid) run, role, rank and host agree and no certain property contradicts this. Rank 0 in two
// roles counts as two processes. A member that fits several groups is not joined to any. Wall clocks come
// from ClockDomain::utcAtZero_ns; timestamps known only to whole seconds are widened by a second on both
// sides. Groups are ordered by their first member. O(members log members) if few processes share a rank.
std::vector<ProcessGroup> findProcessGroups(const Workspace& workspace);

// Completes the identities of a workspace. Run, host, role, ranks, world size and replica are copied from one
// report of a process to other reports of the process if the values there have a lower confidence. Step,
// stage, tool and capture are never copied. Edited parts stay unchanged. Call it after the last add().
void completeIdentities(Workspace& workspace);

} // namespace lockstep
