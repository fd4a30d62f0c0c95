// ReportIdentity: whose one report of a workspace is, kept beside the frozen report so that it can be
// corrected at any time. Immutable once it is in a Workspace.
#pragma once

#include <vector>

#include "core/trace/report.h"

namespace lockstep {

struct ReportIdentity {
    Identity stated;  // what a user said, and nothing else
    Identity planned; // what the session it was recorded in says, such as the step of a capture
    Identity whole;   // of the report, all known things taken together; stated parts beat others
    std::vector<Identity> processes; // the same by ProcessId; what a process does not say is its report's
};

// What the report, its session and the user say, other reports left aside. planned fills in what is less
// sure; a stated part beats all others and holds for all processes.
ReportIdentity identityOf(const Report& report, const Identity& stated, const Identity& planned);

} // namespace lockstep
