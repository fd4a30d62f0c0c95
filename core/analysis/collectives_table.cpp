// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/collectives_table.h"

#include <array>

#include "core/analysis/collective_rows_table.h"

namespace lockstep {

namespace {

constexpr std::string_view kCollectivesTableTitle = "Collectives across ranks";

constexpr std::array kCollectivesTableArguments{
    AnalysisArgument{"ranks", "one row per collective and rank"},
    AnalysisArgument{"sum", "one row per process group and name"},
    AnalysisArgument{"groups", "one row per process group: what was matched, and why not"},
};

Result<Table> collectivesTable(const AnalysisRequest& request, const Progress& progress)
{
    LOCKSTEP_TRY(progress.check());
    const CollectiveSelection selection(request, progress);
    LOCKSTEP_TRY(progress.check());
    Table table = request.arguments.flag("groups")  ? processGroupTable(request, selection)
                  : request.arguments.flag("ranks") ? collectiveRankTable(request, selection)
                  : request.arguments.flag("sum")   ? collectiveSumTable(request, selection)
                                                    : collectiveTable(request, selection);
    table.headerStyle = HeaderStyle::identifier;
    selection.describe(table.source);
    if (request.scope.by == GroupBy::communicator)
        table.source.rules.push_back("rows are split by communicator: see the group column");
    else if (request.scope.by != GroupBy::total)
        table.source.rules.push_back(
            "not split by " + std::string(groupByName(request.scope.by)) +
            ": a collective spans several ranks; collectives:ranks has one row per rank");
    return table;
}

} // namespace

Analysis collectivesAnalysis()
{
    return {"collectives",
            kCollectivesTableTitle,
            "collectives of two or more ranks",
            kCollectivesTableArguments,
            collectivesTable,
            true};
}

} // namespace lockstep
