// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/empty_table.h"

namespace lockstep {

std::string emptyTableText(const Analysis& analysis, const TableSource& source)
{
    if (!source.whenEmpty.empty()) return source.whenEmpty;
    const std::string noun(analysis.rows);
    if (source.filters.empty()) return "The reports hold no " + noun + ".";
    std::string filters;
    for (const std::string& filter : source.filters)
        filters += (filters.empty() ? "" : ", ") + filter;
    return "The reports hold no " + noun + " that match " + filters + ".";
}

} // namespace lockstep
