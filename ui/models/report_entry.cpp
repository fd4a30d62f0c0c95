// SPDX-License-Identifier: Apache-2.0
#include "ui/models/report_entry.h"

#include <map>
#include <set>

#include "core/lanes/lane_label.h"

namespace lockstep {

const Identity& identityOf(const ReportEntry& entry)
{
    return entry.identity ? entry.identity->whole : entry.report->identity;
}

std::string reportLabel(const Report& report, const Identity& identity)
{
    std::string label;
    if (identity.rank.isKnown()) label = "rank " + std::to_string(*identity.rank.value);
    if (label.empty()) return report.provenance.path.filename().string();
    if (identity.host.isKnown()) label += " \u00B7 " + *identity.host.value;
    if (identity.step.isKnown()) label += " \u00B7 step " + std::to_string(*identity.step.value);
    return label;
}

std::vector<std::string> reportMarks(const Report& report, const Identity& identity)
{
    const auto& capture = identity.captureIndex;
    return {capture.isKnown() ? "capture " + std::to_string(*capture.value) : std::string(),
            toolLabel(report), report.provenance.path.filename().string()};
}

void disambiguate(std::vector<std::string>& labels, const std::vector<std::vector<std::string>>& marks)
{
    const size_t rounds = marks.empty() ? 0 : marks.front().size();
    for (size_t round = 0; round < rounds; ++round) {
        std::map<std::string, std::vector<size_t>> alike;
        for (size_t i = 0; i < labels.size(); ++i)
            alike[labels[i]].push_back(i);
        for (const auto& [label, ones] : alike) {
            std::set<std::string> different;
            for (const size_t i : ones)
                different.insert(marks[i][round]);
            if (different.size() < 2) continue;
            for (const size_t i : ones) {
                if (!marks[i][round].empty()) labels[i] += " \u00B7 " + marks[i][round];
            }
        }
    }
}

Duration reportDuration(const Report& report)
{
    return (report.extent.isEmpty() ? report.session : report.extent).length();
}

} // namespace lockstep
