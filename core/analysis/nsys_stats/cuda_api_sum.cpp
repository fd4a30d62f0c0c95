// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/nsys_stats/cuda_api_sum.h"

#include "core/analysis/nsys_stats/operation_names.h"

namespace lockstep {

namespace {

constexpr std::string_view kCudaApiSumTitle = "CUDA API summary";
constexpr uint64_t kBacktraceBit = uint64_t(1) << 40; // above the name's StringId

// Its name without a version, and " [backtrace]" behind it for what was recorded once more with a backtrace.
uint64_t callKey(const Report& report, SliceId call)
{
    const bool isBacktrace = report.slices.kind[call.value] == RowKind::span;
    return (isBacktrace ? kBacktraceBit : 0) | report.slices.name[call.value].value;
}

std::string callLabel(const Report& report, uint64_t key)
{
    const std::string_view name = report.strings.at(StringId(static_cast<uint32_t>(key)));
    return std::string(apiNameWithoutVersion(name)) + ((key & kBacktraceBit) != 0 ? " [backtrace]" : "");
}

Result<Table> cudaApiSumRows(const AnalysisRequest& request, const Progress& progress)
{
    SummaryRule rule;
    rule.kinds = kCudaApiKinds;
    rule.counts = isApiCallOrNoSpan;
    rule.key = callKey;
    rule.labels = [](const Report& report, const Track&, uint64_t key) {
        return std::vector<std::string>{callLabel(report, key)};
    };
    Table table = LOCKSTEP_TRY(timeSummaryTable(
        rule, request, kCudaApiSumTitle, "Num Calls",
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
    return {"cuda_api_sum", kCudaApiSumTitle, "CUDA API calls", {}, cudaApiSumRows};
}

} // namespace lockstep
