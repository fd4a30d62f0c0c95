// SPDX-License-Identifier: Apache-2.0
#include "core/trace/report_identity.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/trace/identity.h"

namespace lockstep {

std::vector<int> otherSteps(const Report& report)
{
    std::vector<int> steps;
    for (const Fact& fact : report.facts) {
        if (fact.first != kOtherStepsFact && fact.first != kLegacyOtherStepsFact) continue;
        const std::string_view text = fact.second;
        for (size_t at = 0; at < text.size();) {
            const size_t end = std::min(text.find(", ", at), text.size());
            if (const auto step = parseInt(text.substr(at, end - at)))
                steps.push_back(static_cast<int>(*step));
            at = end + 2;
        }
    }
    return steps;
}

ReportIdentity identityOf(const Report& report, const Identity& stated, const Identity& planned,
                          std::span<const ProcessEdit> processEdits)
{
    ReportIdentity out{stated, {processEdits.begin(), processEdits.end()}, planned, report.identity, {}};
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
        for (const ProcessEdit& edit : processEdits) {
            if (process.pid.value != edit.pid) continue;
            overlayParts(process, edit.stated);
            if (isOnly) overlayParts(out.whole, edit.stated);
        }
    }
    return out;
}

} // namespace lockstep
