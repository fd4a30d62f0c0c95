#include "core/analysis/nsys_stats/cuda_api_sum.h"

#include "core/analysis/nsys_stats/operation_names.h"

namespace lockstep {

namespace {

constexpr std::string_view kTitle = "CUDA API summary";

Result<Table> run(const AnalysisRequest& request, const Progress& progress)
{
    SummaryRule rule;
    rule.kinds = kCudaApiKinds;
    rule.counts = isApiCallOrNoSpan;
    rule.key = [](const Report& report, SliceId slice) {
        return uint64_t(report.slices.name[slice.value].value);
    };
    rule.labels = [](const Report& report, const Track&, uint64_t key) {
        return std::vector<std::string>{std::string(apiNameWithoutVersion(report.strings.at(StringId(key))))};
    };
    Table table =
        LOCKSTEP_TRY(timeSummaryTable(rule, request, kTitle, "Num Calls",
                                      {{"Name", "", ColumnType::text, 0,
                                        "name of the call, without its version suffix; calls recorded with a "
                                        "backtrace are there twice, as in nsys stats"}},
                                      progress));
    table.source.rows = "slices of kind runtime_api, driver_api, and of others in their table";
    noteBacktraces(table, request.workspace);
    return table;
}

} // namespace

Analysis cudaApiSum()
{
    return {"cuda_api_sum", kTitle, "CUDA API calls", {}, run};
}

} // namespace lockstep
