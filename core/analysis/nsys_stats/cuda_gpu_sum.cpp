// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/nsys_stats/cuda_gpu_sum.h"

#include <array>

#include "core/analysis/nsys_stats/gpu_and_api_rule.h"

namespace lockstep {

namespace {

constexpr std::string_view kCudaGpuSumTitle = "CUDA GPU summary (kernels and memory operations)";
constexpr std::array<AnalysisArgument, 1> kCudaGpuSumArguments{kBaseArgument};
constexpr RowKinds kGpuKinds = rowKinds({RowKind::kernel, RowKind::memcpy, RowKind::memset});

Result<Table> cudaGpuSumRows(const AnalysisRequest& request, const Progress& progress)
{
    const SummaryRule rule = categorizedRule(kGpuKinds, KernelNames{request.arguments.flag("base")});
    Table table = LOCKSTEP_TRY(
        timeSummaryTable(rule, request, kCudaGpuSumTitle, "Instances", categoryColumns(), progress));
    table.source.rows = "slices of kind kernel, memcpy and memset";
    noteWholeGraphs(table, request.workspace);
    return table;
}

} // namespace

Analysis cudaGpuSum()
{
    return {"cuda_gpu_sum", kCudaGpuSumTitle, "kernels, copies or memsets", kCudaGpuSumArguments,
            cudaGpuSumRows};
}

} // namespace lockstep
