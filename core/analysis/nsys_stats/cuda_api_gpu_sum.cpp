// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/nsys_stats/cuda_api_gpu_sum.h"

#include <array>

#include "core/analysis/nsys_stats/gpu_and_api_rule.h"

namespace lockstep {

namespace {

constexpr std::string_view kCudaApiGpuSumTitle = "CUDA API and GPU summary";
constexpr std::array<AnalysisArgument, 1> kCudaApiGpuSumArguments{kBaseArgument};
constexpr RowKinds kKinds = rowKinds({RowKind::kernel, RowKind::memcpy, RowKind::memset}) | kCudaApiKinds;

Result<Table> cudaApiGpuSumRows(const AnalysisRequest& request, const Progress& progress)
{
    const SummaryRule rule = categorizedRule(kKinds, KernelNames{request.arguments.flag("base")});
    Table table = LOCKSTEP_TRY(
        timeSummaryTable(rule, request, kCudaApiGpuSumTitle, "Instances", categoryColumns(), progress));
    table.source.rows =
        "slices of kind runtime_api, driver_api (and others in their table), kernel, memcpy and memset";
    noteBacktraces(table, request.workspace);
    noteWholeGraphs(table, request.workspace);
    return table;
}

} // namespace

Analysis cudaApiGpuSum()
{
    return {"cuda_api_gpu_sum", kCudaApiGpuSumTitle, "CUDA API calls or GPU work", kCudaApiGpuSumArguments,
            cudaApiGpuSumRows};
}

} // namespace lockstep
