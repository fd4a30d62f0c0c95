// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/nsys_stats/cuda_gpu_mem_time_sum.h"

#include "core/analysis/nsys_stats/operation_names.h"

namespace lockstep {

namespace {

constexpr std::string_view kCudaGpuMemTimeSumTitle = "CUDA GPU memory time summary";

Result<Table> cudaGpuMemTimeSumRows(const AnalysisRequest& request, const Progress& progress)
{
    SummaryRule rule;
    rule.kinds = rowKinds({RowKind::memcpy, RowKind::memset});
    rule.key = [](const Report& report, SliceId slice) { return uint64_t(copyKindOf(report, slice)); };
    rule.labels = [](const Report&, const Track&, uint64_t key) {
        return std::vector<std::string>{std::string(copyKindName(static_cast<CopyKind>(key)))};
    };
    Table table = LOCKSTEP_TRY(timeSummaryTable(
        rule, request, kCudaGpuMemTimeSumTitle, "Count",
        {{"Operation", "", ColumnType::text, 0, "direction of the copy, or memset"}}, progress));
    table.source.rows = "slices of kind memcpy and memset";
    return table;
}

} // namespace

Analysis cudaGpuMemTimeSum()
{
    return {"cuda_gpu_mem_time_sum", kCudaGpuMemTimeSumTitle, "copies or memsets", {}, cudaGpuMemTimeSumRows};
}

} // namespace lockstep
