// SPDX-License-Identifier: Apache-2.0
// ReportIdentity: the identity of one report of a workspace, stored next to the frozen report so that it can
// be edited at any time. Immutable once it is in a Workspace.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/trace/report.h"

namespace lockstep {

// The user's edits for one process of a report.
struct ProcessEdit {
    int64_t pid = 0;
    Identity stated;
};

struct ReportIdentity {
    Identity stated; // only the user's edits
    // Edits for single processes, in the order of entry. They take precedence over edits for the whole
    // report.
    std::vector<ProcessEdit> processEdits;
    // known from the session that recorded the report, such as the step of a capture
    Identity planned;
    Identity whole; // identity of the report from all sources; edited parts take precedence
    // the same for each process, by ProcessId; unknown parts come from the report
    std::vector<Identity> processes;
};

// Additional training step numbers of a report whose file name and content count steps differently. Filters
// match any of these numbers. Stored as a fact with this name: "12" or "10, 11".
inline constexpr std::string_view kOtherStepsFact = "Other step numbers";
inline constexpr std::string_view kLegacyOtherStepsFact =
    "Steps by another count"; // the name in files of earlier versions
std::vector<int> otherSteps(const Report& report);

// Returns the identity from the report, its session and the user, without other reports. `planned` provides
// parts that are otherwise unknown. Edited parts take precedence and apply to all processes. Edits for one
// process take precedence over these for that process, and also for the report if it has only that process.
// Edits for pids that the report does not have are kept, but have no effect.
ReportIdentity identityOf(const Report& report, const Identity& stated, const Identity& planned,
                          std::span<const ProcessEdit> processEdits = {});

} // namespace lockstep
