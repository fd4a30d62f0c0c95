// ShownProcess: what the timeline shows as one process: its parts of all reports that hold it, whichever tool
// and step they are of, or what belongs to none of a report's processes. Made for each lane tree. Pure.
#pragma once

#include <vector>

#include "core/trace/workspace.h"

namespace lockstep {

// A process of a report, or what belongs to none of its processes, with the tracks and counters that have
// rows.
struct ShownMember {
    ReportKey report;
    ProcessId process; // invalid: of the whole machine
    std::vector<TrackId> tracks;
    std::vector<CounterTrackId> counters;
};

struct ShownProcess {
    std::vector<ShownMember> members; // by report; one at least
    Identity identity;                // of all members, the surest; the step only where all have the same
    bool isProcess = true;            // false: of machines
};

// In the order of reports. Pseudo processes of a report (negative pid) go with its only real one. What
// belongs to no process goes together where its reports show the same one process.
std::vector<ShownProcess> findShownProcesses(const Workspace& workspace);

// The names of processes, by `processes`: host, rank or replica, role; where no rank is known the process'
// name and pid; then, where two would be called alike, the first of replica, step, pid and file that tells
// them apart.
std::vector<std::string> shownLabels(const Workspace& workspace, const std::vector<ShownProcess>& processes);

} // namespace lockstep
