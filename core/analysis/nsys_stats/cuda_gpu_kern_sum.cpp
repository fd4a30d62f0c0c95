// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/nsys_stats/cuda_gpu_kern_sum.h"

#include <array>

#include "core/analysis/nsys_stats/operation_names.h"

namespace lockstep {

namespace {

constexpr std::string_view kCudaGpuKernSumTitle = "CUDA GPU kernel summary";
constexpr std::array<AnalysisArgument, 1> kCudaGpuKernSumArguments{kBaseArgument};

Result<Table> cudaGpuKernSumRows(const AnalysisRequest& request, const Progress& progress)
{
    const KernelNames names{request.arguments.flag("base")};
    SummaryRule rule;
    rule.kinds = rowKinds({RowKind::kernel});
    rule.key = [names](const Report& report, SliceId slice) { return names.key(report, slice); };
    rule.labels = [](const Report& report, const Track&, uint64_t key) {
        return std::vector<std::string>{std::string(report.strings.at(StringId(key)))};
    };
    Table table = LOCKSTEP_TRY(
        timeSummaryTable(rule, request, kCudaGpuKernSumTitle, "Instances",
                         {{"Name", "", ColumnType::text, 0,
                           names.areBase ? "base name of the kernel" : "full name of the kernel"}},
                         progress));
    table.source.rows = "slices of kind kernel";
    noteWholeGraphs(table, request.workspace);
    return table;
}

} // namespace

Analysis cudaGpuKernSum()
{
    return {"cuda_gpu_kern_sum", kCudaGpuKernSumTitle, "kernels", kCudaGpuKernSumArguments,
            cudaGpuKernSumRows};
}

} // namespace lockstep
