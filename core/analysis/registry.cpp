// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "core/analysis/alignment_table.h"
#include "core/analysis/analysis.h"
#include "core/analysis/collectives_table.h"
#include "core/analysis/inventory.h"
#include "core/analysis/memory_tables/memory_diff_table.h"
#include "core/analysis/memory_tables/memory_leaks_table.h"
#include "core/analysis/memory_tables/memory_peak_table.h"
#include "core/analysis/memory_tables/memory_summary_table.h"
#include "core/analysis/memory_tables/memory_timeline_table.h"
#include "core/analysis/nsys_rules/blocking_copies.h"
#include "core/analysis/nsys_rules/cuda_api_sync.h"
#include "core/analysis/nsys_rules/gpu_gaps.h"
#include "core/analysis/nsys_rules/gpu_time_util.h"
#include "core/analysis/nsys_stats/cuda_api_gpu_sum.h"
#include "core/analysis/nsys_stats/cuda_api_sum.h"
#include "core/analysis/nsys_stats/cuda_gpu_kern_sum.h"
#include "core/analysis/nsys_stats/cuda_gpu_mem_size_sum.h"
#include "core/analysis/nsys_stats/cuda_gpu_mem_time_sum.h"
#include "core/analysis/nsys_stats/cuda_gpu_sum.h"
#include "core/analysis/nsys_stats/cuda_kern_exec_sum.h"
#include "core/analysis/nsys_stats/nvtx_kernel_tables.h"
#include "core/analysis/nsys_stats/nvtx_sum.h"
#include "core/analysis/nsys_stats/nvtx_trace_tables.h"
#include "core/analysis/nsys_stats/osrt_sum.h"
#include "core/analysis/recipes/overlap_trace.h"
#include "core/analysis/recipes/pace.h"
#include "core/analysis/recipes/util_map.h"
#include "core/analysis/straggler_table.h"
#include "core/analysis/training/bottlenecks.h"
#include "core/analysis/training/comm_comp_overlap.h"
#include "core/analysis/training/critical_path.h"
#include "core/analysis/training/idle_breakdown.h"
#include "core/analysis/training/kernel_breakdown.h"
#include "core/analysis/training/launch_stats.h"
#include "core/analysis/training/memory_bandwidth.h"
#include "core/analysis/training/operator_stats.h"
#include "core/analysis/training/queue_length.h"
#include "core/analysis/training/role_breakdown.h"
#include "core/analysis/training/step_breakdown.h"
#include "core/analysis/training/step_statistics.h"
#include "core/analysis/training/temporal_breakdown.h"

namespace lockstep {

namespace {

tl::unexpected<Error> withoutCommunicators(const Analysis& analysis)
{
    std::string names;
    for (const Analysis& known : analyses()) {
        if (known.hasCommunicators) names += (names.empty() ? "" : ", ") + std::string(known.name);
    }
    return makeError(ErrorKind::invalid, std::string(analysis.name) +
                                             ": its rows are of no communicator; by communicator there are " +
                                             names);
}

} // namespace

std::span<const Analysis> analyses()
{
    static const std::array<Analysis, 49> kAnalyses{
        inventoryAnalysis(),
        alignmentAnalysis(),
        stragglersAnalysis(),
        collectivesAnalysis(),
        temporalBreakdownAnalysis(),
        idleBreakdownAnalysis(),
        kernelBreakdownAnalysis(),
        commCompOverlapAnalysis(),
        queueLengthAnalysis(),
        launchStatsAnalysis(),
        memoryBandwidthAnalysis(),
        operatorStatsAnalysis(),
        bottlenecksAnalysis(),
        stepBreakdownAnalysis(),
        roleBreakdownAnalysis(),
        stepStatisticsAnalysis(),
        criticalPathAnalysis(),
        cudaGpuKernSum(),
        cudaGpuMemTimeSum(),
        cudaGpuMemSizeSum(),
        cudaGpuSum(),
        cudaApiSum(),
        cudaApiGpuSum(),
        cudaKernExecSum(),
        nvtxSum(),
        nvtxPushPopSum(),
        nvtxStartEndSum(),
        nvtxPushPopTrace(),
        nvtxKernSum(),
        nvtxGpuProjSum(),
        nvtxGpuProjTrace(),
        osrtSum(),
        cudaApiSyncAnalysis(),
        cudaMemcpyAsyncAnalysis(),
        cudaMemcpySyncAnalysis(),
        cudaMemsetSyncAnalysis(),
        gpuGapsAnalysis(),
        gpuTimeUtilAnalysis(),
        cudaGpuTimeUtilMap(),
        ncclGpuTimeUtilMap(),
        ncclGpuOverlapTrace(),
        ncclSum(),
        cudaGpuKernPace(),
        nvtxPace(),
        memorySummaryAnalysis(),
        memoryTimelineAnalysis(),
        memoryPeakAnalysis(),
        memoryLeaksAnalysis(),
        memoryDiffAnalysis(),
    };
    return kAnalyses;
}

std::vector<AnalysisGroup> analysisGroups()
{
    // Each begins with the analysis named.
    constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kGroups{{
        {"Reports", "inventory"},
        {"Training", "stragglers"},
        {"nsys stats", "cuda_gpu_kern_sum"},
        {"nsys rules", "cuda_api_sync"},
        {"nsys recipes", "cuda_gpu_time_util_map"},
        {"Memory", "memory_summary"},
    }};
    const auto placeOf = [](std::string_view name) {
        return static_cast<size_t>(std::ranges::find(analyses(), name, &Analysis::name) - analyses().begin());
    };
    std::vector<AnalysisGroup> groups;
    for (size_t i = 0; i < kGroups.size(); ++i) {
        const size_t first = placeOf(kGroups[i].second);
        const size_t last = i + 1 < kGroups.size() ? placeOf(kGroups[i + 1].second) : analyses().size();
        groups.push_back({kGroups[i].first, analyses().subspan(first, last - first)});
    }
    return groups;
}

const Analysis* findAnalysis(std::string_view what)
{
    const std::string_view name = what.substr(0, what.find(':'));
    const auto found = std::ranges::find(analyses(), name, &Analysis::name);
    return found == analyses().end() ? nullptr : &*found;
}

Result<ResolvedAnalysis> resolveAnalysis(std::string_view what)
{
    std::vector<std::string> words = splitRequest(what);
    const Analysis* const analysis = findAnalysis(words[0]);
    if (analysis == nullptr) {
        std::string names;
        for (const Analysis& known : analyses())
            names += (names.empty() ? "" : ", ") + std::string(known.name);
        return makeError(ErrorKind::invalid,
                         "'" + words[0] + "' is no table of this build; there are " + names);
    }
    words.erase(words.begin());
    Result<ArgumentValues> arguments = ArgumentValues::parse(analysis->arguments, words);
    if (!arguments) {
        return makeError(arguments.error().kind,
                         std::string(analysis->name) + " " + arguments.error().message);
    }
    return ResolvedAnalysis{analysis, std::move(*arguments)};
}

Result<Table> runAnalysis(std::string_view what, const Scene& scene, const Scope& scope,
                          const Progress& progress, std::span<const InputFile> inputs)
{
    const ResolvedAnalysis resolved = LOCKSTEP_TRY(resolveAnalysis(what));
    if (scope.by == GroupBy::communicator && !resolved.analysis->hasCommunicators)
        return withoutCommunicators(*resolved.analysis);
    const AnalysisRequest request{what, resolved.arguments, scene, scope, inputs};
    Table table = LOCKSTEP_TRY(resolved.analysis->run(request, progress));
    LOCKSTEP_TRY(progress.check());
    table.source.filters = scope.description();
    return table;
}

} // namespace lockstep
