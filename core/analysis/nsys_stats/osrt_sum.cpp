// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/nsys_stats/osrt_sum.h"

#include "core/analysis/summary.h"

namespace lockstep {

namespace {

constexpr std::string_view kOsrtSumTitle = "OS runtime summary";

Result<Table> osrtSumRows(const AnalysisRequest& request, const Progress& progress)
{
    SummaryRule rule;
    rule.kinds = rowKinds({RowKind::osRuntime});
    rule.key = [](const Report& report, SliceId slice) {
        return uint64_t(report.slices.name[slice.value].value);
    };
    rule.labels = [](const Report& report, const Track&, uint64_t key) {
        return std::vector<std::string>{std::string(report.strings.at(StringId(key)))};
    };
    Table table =
        LOCKSTEP_TRY(timeSummaryTable(rule, request, kOsrtSumTitle, "Num Calls",
                                      {{"Name", "", ColumnType::text, 0, "name of the call"}}, progress));
    table.source.rows = "slices of kind os_runtime";
    return table;
}

} // namespace

Analysis osrtSum()
{
    return {"osrt_sum", kOsrtSumTitle, "OS runtime calls", {}, osrtSumRows};
}

} // namespace lockstep
