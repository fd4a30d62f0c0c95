#include "core/trace/report_identity.h"

#include <algorithm>

#include "core/trace/identity_parts.h"

namespace lockstep {

ReportIdentity identityOf(const Report& report, const Identity& stated, const Identity& planned)
{
    ReportIdentity out{stated, planned, report.identity, {}};
    learnParts(out.whole, planned);
    overlayParts(out.whole, stated);
    out.processes.reserve(report.processes.size());
    const bool isOnly =
        std::ranges::count_if(report.processes, [](const Process& p) { return p.pid > 0; }) <= 1;
    for (size_t i = 0; i < report.processes.size(); ++i) {
        Identity& process = out.processes.emplace_back(report.processes[i].identity);
        inheritParts(process, out.whole);
        const int64_t pid = report.processes[i].pid;
        if (pid > 0) process.pid.learn(pid, "process", Confidence::stated);
        if (isOnly && pid == 0 && !process.pid.isKnown()) process.pid = report.identity.pid;
        overlayParts(process, stated);
    }
    return out;
}

} // namespace lockstep
