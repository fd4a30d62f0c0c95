// SPDX-License-Identifier: Apache-2.0
#include "core/session/finding.h"

#include <algorithm>

namespace lockstep {

std::string_view severityName(Severity severity)
{
    switch (severity) {
    case Severity::note:
        return "note";
    case Severity::warning:
        return "warning";
    case Severity::error:
        return "error";
    }
    return "note";
}

void addFinding(Findings& findings, Severity severity, std::string field, std::string rule,
                std::string reason, std::string fix, SessionEdit apply)
{
    findings.push_back(
        {severity, std::move(field), std::move(rule), std::move(reason), std::move(fix), std::move(apply)});
}

void addMissing(Findings& findings, Severity severity, std::string field, std::string rule,
                std::string reason, std::string fix, SessionEdit apply)
{
    addFinding(findings, severity, std::move(field), std::move(rule), std::move(reason), std::move(fix),
               std::move(apply));
    findings.back().isMissing = true;
}

bool hasErrors(const Findings& findings)
{
    return std::any_of(findings.begin(), findings.end(),
                       [](const Finding& f) { return f.severity == Severity::error; });
}

void makeStrict(Findings& findings)
{
    for (Finding& finding : findings) {
        const bool isKey = finding.rule == "key.unknown" || finding.rule == "override.unknown";
        if (isKey && finding.severity == Severity::warning) finding.severity = Severity::error;
    }
}

std::string findingsText(const Findings& findings)
{
    std::vector<const Finding*> order;
    for (const Finding& finding : findings)
        order.push_back(&finding);
    std::stable_sort(order.begin(), order.end(), [](auto* a, auto* b) { return a->severity > b->severity; });
    std::string text;
    for (const Finding* finding : order) {
        std::string line = std::string(severityName(finding->severity));
        line.resize(9, ' ');
        line += finding->field + ": " + finding->reason;
        if (!finding->fix.empty())
            line += "\n         " + finding->fix + (finding->apply ? " [one click]" : "");
        text += line + "\n";
    }
    return text;
}

} // namespace lockstep
