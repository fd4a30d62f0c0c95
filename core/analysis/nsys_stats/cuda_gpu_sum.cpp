#include "core/analysis/nsys_stats/cuda_gpu_sum.h"

#include <array>

#include "core/analysis/nsys_stats/gpu_and_api_rule.h"

namespace lockstep {

namespace {

constexpr std::string_view kTitle = "CUDA GPU summary (kernels and memory operations)";
constexpr std::array<AnalysisArgument, 1> kArguments{kBaseArgument};
constexpr RowKinds kKinds = rowKinds({RowKind::kernel, RowKind::memcpy, RowKind::memset});

Result<Table> run(const AnalysisRequest& request, const Progress& progress)
{
    const SummaryRule rule = categorizedRule(kKinds, KernelNames{request.hasArgument("base")});
    Table table =
        LOCKSTEP_TRY(timeSummaryTable(rule, request, kTitle, "Instances", categoryColumns(), progress));
    table.source.rows = "slices of kind kernel, memcpy and memset";
    noteWholeGraphs(table, request.workspace);
    return table;
}

} // namespace

Analysis cudaGpuSum()
{
    return {"cuda_gpu_sum", kTitle, "kernels, copies or memsets", kArguments, run};
}

} // namespace lockstep
