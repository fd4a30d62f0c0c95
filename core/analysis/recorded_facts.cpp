// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/recorded_facts.h"

#include <algorithm>

namespace lockstep {

std::string missingFacts(const Workspace& workspace, std::span<const ReportKey> reports)
{
    const auto hasNone = [&](ReportKey key) { return workspace.report(key).rowFacts.rows.empty(); };
    const auto first = std::ranges::find_if(reports, hasNone);
    if (first == reports.end()) return {};
    const Provenance& from = workspace.report(*first).provenance;
    return "launch configurations and other row details are not recorded in " +
           std::to_string(std::ranges::count_if(reports, hasNone)) + " of " + std::to_string(reports.size()) +
           " reports, first in " + from.path.string();
}

} // namespace lockstep
