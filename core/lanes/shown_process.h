// SPDX-License-Identifier: Apache-2.0
// ShownProcess: what the timeline shows as one process: its parts of all reports that hold it, whichever tool
// and step they are of, or what belongs to none of a report's processes. Made for each lane tree. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/lanes/report_lod.h"
#include "core/trace/workspace.h"

namespace lockstep {

// A process of a report that has rows, or what belongs to none of its processes.
struct ShownMember {
    ReportKey report;
    ProcessId process; // invalid: of the whole machine
};

struct ShownProcess {
    std::vector<ShownMember> members; // by report; one at least
    // Of all members, the surest; the step only where all have the same.
    std::shared_ptr<const Identity> known;
    bool isProcess = true; // false: of machines
    std::string group{};   // the word of its group, see LaneGroups; "" where it has none
    std::string part{};    // for its key: which part it is of one that is in several groups

    const Identity& identity() const { return *known; }
};

// What a host of a run tells of itself: an event log, which is of no process.
bool isHostLog(const Workspace& workspace, const ShownProcess& shown);

// In the order of reports. Pseudo processes of a report (negative pid) go with its only real one. What
// belongs to no process goes together where its reports show the same one process.
std::vector<ShownProcess> findShownProcesses(const Workspace& workspace, const ReportLods& lods);

// The names of processes, by `processes`: host, rank or replica, role; where no rank is known the process'
// name and pid; then, where two would be called alike, the first of replica, step, pid and file that tells
// them apart.
std::vector<std::string> shownLabels(const Workspace& workspace, const std::vector<ShownProcess>& processes);

} // namespace lockstep
