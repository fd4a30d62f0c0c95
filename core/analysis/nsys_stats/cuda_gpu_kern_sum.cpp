// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/nsys_stats/cuda_gpu_kern_sum.h"

#include <array>

#include "core/analysis/nsys_stats/kernel_labels.h"

namespace lockstep {

namespace {

constexpr std::string_view kCudaGpuKernSumTitle = "CUDA GPU kernel summary";
constexpr std::array kCudaGpuKernSumArguments{kNvtxNameArgument, kBaseArgument, kMangledArgument};

Result<Table> cudaGpuKernSumRows(const AnalysisRequest& request, const Progress& progress)
{
    // Names that are stored in the report can be found without a file access per kernel.
    const bool asksFile =
        request.arguments.flag(kMangledArgument.name) || request.arguments.flag(kNvtxNameArgument.name);
    const KernelNames names{request.arguments.flag(kBaseArgument.name)};
    KernelGroups groups;
    SummaryRule rule;
    if (asksFile) {
        groups = LOCKSTEP_TRY(KernelGroups::of(request, false, progress));
        rule = groups.rule();
    } else {
        const auto keyOf = [names](const Report& report, SliceId slice) { return names.key(report, slice); };
        rule.pick = pickSlices(rowKinds({RowKind::kernel}), keyOf);
        rule.labels = [](const Report& report, const Track&, uint64_t key) {
            return std::vector<std::string>{std::string(report.strings.at(StringId(key)))};
        };
    }
    const std::string meaning = asksFile        ? groups.meaning()
                                : names.areBase ? "base name of the kernel"
                                                : "full name of the kernel";
    Table table = LOCKSTEP_TRY(timeSummaryTable(rule, request, kCudaGpuKernSumTitle, "Instances",
                                                {{"Name", "", ColumnType::text, 0, meaning}}, progress));
    table.source.rows = "slices of kind kernel";
    table.source.rules.insert(table.source.rules.end(), groups.rules().begin(), groups.rules().end());
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
