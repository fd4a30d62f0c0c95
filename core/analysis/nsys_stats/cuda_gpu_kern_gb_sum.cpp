// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/nsys_stats/cuda_gpu_kern_gb_sum.h"

#include <array>

#include "core/analysis/nsys_stats/kernel_labels.h"

namespace lockstep {

namespace {

constexpr std::string_view kKernGbSumTitle = "CUDA GPU kernel, grid and block summary";
constexpr std::array kKernGbSumArguments{kNvtxNameArgument, kBaseArgument, kMangledArgument};

Result<Table> kernGbSumRows(const AnalysisRequest& request, const Progress& progress)
{
    const KernelGroups groups = LOCKSTEP_TRY(KernelGroups::of(request, true, progress));
    Table table = LOCKSTEP_TRY(timeSummaryTable(groups.rule(), request, kKernGbSumTitle, "Instances",
                                                {{"GridXYZ", "", ColumnType::text, 0, "blocks per grid"},
                                                 {"BlockXYZ", "", ColumnType::text, 0, "threads per block"},
                                                 {"Name", "", ColumnType::text, 0, groups.meaning()}},
                                                progress));
    table.source.rows = "slices of kind kernel";
    table.source.rules.insert(table.source.rules.end(), groups.rules().begin(), groups.rules().end());
    noteWholeGraphs(table, request.workspace);
    return table;
}

} // namespace

Analysis cudaGpuKernGbSum()
{
    return {"cuda_gpu_kern_gb_sum", kKernGbSumTitle, "kernels", kKernGbSumArguments, kernGbSumRows};
}

} // namespace lockstep
