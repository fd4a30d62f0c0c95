// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/empty_table.h"

namespace lockstep {

std::string emptyTableText(const Analysis& analysis, const TableSource& source)
{
    if (!source.whenEmpty.empty()) return source.whenEmpty;
    const std::string noun(analysis.rows);
    if (source.filters.empty()) return "The reports contain no " + noun + ".";
    std::string filters;
    for (const std::string& filter : source.filters)
        filters += (filters.empty() ? "" : ", ") + filter;
    return "The reports contain no " + noun + " that match " + filters + ".";
}

std::string optionText(const AnalysisArgument& argument)
{
    return "(option " + std::string(argument.name) + ")";
}

std::string noneInScopeText(std::string_view rows, size_t count)
{
    return "None of the " + std::string(rows) + " in scope (" + std::to_string(count) + ")";
}

std::string limitText(const AnalysisArgument& limit, size_t found)
{
    return "The limit is 0 (" + std::to_string(found) + " found). Raise the limit " + optionText(limit) + ".";
}

} // namespace lockstep
