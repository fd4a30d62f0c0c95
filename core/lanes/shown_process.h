// SPDX-License-Identifier: Apache-2.0
// ShownProcess: one process on the timeline, i.e. its parts in all reports, regardless of tool and step. Also
// represents the rows of a report that do not belong to any process. Computed for each lane tree. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/lanes/report_lod.h"
#include "core/trace/workspace.h"

namespace lockstep {

// A process that has rows in one report, or the rows of a report outside any process.
struct ShownMember {
    ReportKey report;
    ProcessId process; // invalid for the whole machine
};

struct ShownProcess {
    std::vector<ShownMember> members; // sorted by report; at least one
    // Merged from all members, using the most certain value of each property. Contains the step only if all
    // members have the same step.
    std::shared_ptr<const Identity> known;
    bool isProcess = true; // false for a machine
    std::string group{};   // name of the process's group, see LaneGroups; "" if it has none
    // part of the key that distinguishes the parts of a process that is in several groups
    std::string part{};

    const Identity& identity() const { return *known; }
};

// Returns true for the event log of a run's host. Such a log does not belong to any process.
bool isHostLog(const Workspace& workspace, const ShownProcess& shown);

// Returns the processes in report order. Pseudo processes of a report (negative process ID) are merged with
// the only real process of the report. Rows without a process are merged across reports if these reports show
// the same single process.
std::vector<ShownProcess> findShownProcesses(const Workspace& workspace, const ReportLods& lods);

// Returns the names of processes, parallel to `processes`: host, rank or replica, role; if no rank is known,
// the name and ID of the process. Duplicate names are extended by the first property that distinguishes them:
// replica, step, process ID or file.
std::vector<std::string> shownLabels(const Workspace& workspace, const std::vector<ShownProcess>& processes);

} // namespace lockstep
