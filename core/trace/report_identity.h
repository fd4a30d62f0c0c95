// SPDX-License-Identifier: Apache-2.0
// ReportIdentity: whose one report of a workspace is, kept beside the frozen report so that it can be
// corrected at any time. Immutable once it is in a Workspace.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/trace/report.h"

namespace lockstep {

// What a user said of one process of a report, and nothing else.
struct ProcessStatement {
    int64_t pid = 0;
    Identity stated;
};

struct ReportIdentity {
    Identity stated;                               // what a user said, and nothing else
    std::vector<ProcessStatement> statedProcesses; // what beats it for one process; in the order said
    Identity planned; // what the session it was recorded in says, such as the step of a capture
    Identity whole;   // of the report, all known things taken together; stated parts beat others
    std::vector<Identity> processes; // the same by ProcessId; what a process does not say is its report's
};

// Training steps that a report goes by beside Identity::step, because its file's name counts otherwise than
// its content: a filter for either number finds it. Kept as the report's fact of this name, "12" or "10, 11".
inline constexpr std::string_view kOtherStepsFact = "Steps by another count";
std::vector<int> otherSteps(const Report& report);

// What the report, its session and the user say, other reports left aside. planned fills in what is less
// sure; a stated part beats all others and holds for all processes, but what is stated of one process beats
// it there (and of the report, when it is the only one). Statements of pids that the report does not have are
// kept and say nothing.
ReportIdentity identityOf(const Report& report, const Identity& stated, const Identity& planned,
                          std::span<const ProcessStatement> statedProcesses = {});

} // namespace lockstep
