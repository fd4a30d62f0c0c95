// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/nsys_stats/cuda_gpu_kern_sum.h"

#include <array>

#include "core/analysis/nsys_stats/kernel_labels.h"

namespace lockstep {

namespace {

constexpr std::string_view kCudaGpuKernSumTitle = "CUDA GPU kernel summary";
constexpr std::array kCudaGpuKernSumArguments{kNvtxNameArgument, kBaseArgument, kMangledArgument};

// Names that are stored in the report can be found without a file access per kernel.
SummaryRule storedNameRule(KernelNames names)
{
    SummaryRule rule;
    rule.pick = pickSlices(rowKinds({RowKind::kernel}),
                           [names](const Report& report, SliceId slice) { return names.key(report, slice); });
    rule.labels = [](const Report& report, const Track&, uint64_t key) {
        return std::vector<std::string>{std::string(report.strings.at(StringId(key)))};
    };
    return rule;
}

Result<Table> cudaGpuKernSumRows(const AnalysisRequest& request, const Progress& progress)
{
    const bool asksFile =
        request.arguments.flag(kMangledArgument.name) || request.arguments.flag(kNvtxNameArgument.name);
    const KernelNames names{request.arguments.flag(kBaseArgument.name)};
    KernelGroups groups;
    if (asksFile) groups = LOCKSTEP_TRY(KernelGroups::of(request, false, progress));
    const SummaryRule rule = asksFile ? groups.rule() : storedNameRule(names);
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

Result<std::vector<SummaryGroup>> kernelSums(const AnalysisRequest& request, const Progress& progress)
{
    SummaryRule rule = storedNameRule(KernelNames{true});
    rule.countsClipped = true;
    return summarize(rule, request, progress);
}

Analysis cudaGpuKernSum()
{
    return {"cuda_gpu_kern_sum", kCudaGpuKernSumTitle, "kernels", kCudaGpuKernSumArguments,
            cudaGpuKernSumRows};
}

} // namespace lockstep
