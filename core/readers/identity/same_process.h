// Which reports show one process: nsys, Kineto and memory files that one worker left behind. Pure; any
// thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/time.h"
#include "core/trace/identity.h"
#include "core/trace/workspace.h"

namespace lockstep {

struct ProcessMember {
    ReportId report;
    ProcessId process;

    friend auto operator<=>(const ProcessMember&, const ProcessMember&) = default;
};

// Reports of one process whose captures overlap. Two captures of one process that do not (two steps) are two
// groups.
struct ProcessGroup {
    std::string host;
    int64_t pid = 0;
    std::vector<ProcessMember> members; // by report
    bool isTimeKnown = true;            // false: a member has no wall clock, so that only host and pid speak
};

// identities by ReportId, as resolved. Wall-clock extents come from ClockDomain::utcAtZero_ns; stamps known
// to whole seconds count as a second wider on both sides. A process without host or pid joins nothing and is
// in no group. Groups in the order of their first member; every other process is in exactly one.
std::vector<ProcessGroup> groupSameProcess(const Workspace& workspace,
                                           const std::vector<Identity>& identities);

} // namespace lockstep
