// SPDX-License-Identifier: Apache-2.0
#include "ui/models/report_entry.h"

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
    return label;
}

Duration reportDuration(const Report& report)
{
    return (report.extent.isEmpty() ? report.session : report.extent).length();
}

} // namespace lockstep
