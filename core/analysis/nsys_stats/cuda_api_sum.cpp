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
    rule.key = apiCallKey;
    rule.labels = [](const Report& report, const Track&, uint64_t key) {
        return std::vector<std::string>{apiCallLabel(report, key)};
    };
    Table table = LOCKSTEP_TRY(timeSummaryTable(
        rule, request, kTitle, "Num Calls",
        {{"Name", "", ColumnType::text, 0,
          "name of the call, without its version suffix; [backtrace]: calls that were recorded a second time with a "
          "backtrace, which nsys stats lists again under their plain name"}},
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
