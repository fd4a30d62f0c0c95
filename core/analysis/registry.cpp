// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "core/analysis/alignment_table.h"
#include "core/analysis/analysis.h"
#include "core/analysis/collectives_table.h"
#include "core/analysis/inventory.h"
#include "core/analysis/memory_tables/memory_area_tables.h"
#include "core/analysis/memory_tables/memory_block_tables.h"
#include "core/analysis/notes_table.h"
#include "core/analysis/nsys_rules/blocking_rules.h"
#include "core/analysis/nsys_rules/idle_rules.h"
#include "core/analysis/nsys_stats/cuda_sums.h"
#include "core/analysis/nsys_stats/cuda_traces.h"
#include "core/analysis/nsys_stats/nvtx_sums.h"
#include "core/analysis/nsys_stats/nvtx_trace_tables.h"
#include "core/analysis/nsys_stats/time_sums.h"
#include "core/analysis/recipes/diff_table.h"
#include "core/analysis/recipes/kernel_histogram.h"
#include "core/analysis/recipes/overlap_trace.h"
#include "core/analysis/recipes/pace.h"
#include "core/analysis/recipes/util_maps.h"
#include "core/analysis/straggler_table.h"
#include "core/analysis/training/bottlenecks.h"
#include "core/analysis/training/counter_statistics.h"
#include "core/analysis/training/critical_path.h"
#include "core/analysis/training/findings_table.h"
#include "core/analysis/training/launch_stats.h"
#include "core/analysis/training/operator_stats.h"
#include "core/analysis/training/step_breakdown.h"
#include "core/analysis/training/step_statistics.h"
#include "core/analysis/training/time_breakdowns.h"

namespace lockstep {

namespace {

std::vector<Analysis> reportTables()
{
    return {inventoryAnalysis(), alignmentAnalysis()};
}

std::vector<Analysis> trainingTables()
{
    return {stragglersAnalysis(),    collectivesAnalysis(),     temporalBreakdownAnalysis(),
            idleBreakdownAnalysis(), kernelBreakdownAnalysis(), commCompOverlapAnalysis(),
            queueLengthAnalysis(),   launchStatsAnalysis(),     memoryBandwidthAnalysis(),
            operatorStatsAnalysis(), bottlenecksAnalysis(),     findingsAnalysis(),
            stepBreakdownAnalysis(), roleBreakdownAnalysis(),   stepStatisticsAnalysis(),
            criticalPathAnalysis()};
}

std::vector<Analysis> nsysStats()
{
    return {cudaGpuKernSum(),
            cudaGpuKernGbSum(),
            cudaGpuMemTimeSum(),
            cudaGpuMemSizeSum(),
            cudaGpuSum(),
            cudaApiSum(),
            cudaApiGpuSum(),
            cudaGpuTrace(),
            cudaApiTrace(),
            cudaKernExecSum(),
            cudaKernExecTrace(),
            nvtxSum(),
            nvtxPushPopSum(),
            nvtxStartEndSum(),
            nvtxPushPopTrace(),
            nvtxKernSum(),
            nvtxGpuProjSum(),
            nvtxGpuProjTrace(),
            osrtSum(),
            cudnnApiSum(),
            cublasApiSum(),
            mpiEventSum(),
            umSum()};
}

std::vector<Analysis> nsysRules()
{
    return {cudaApiSyncAnalysis(),    cudaMemcpyAsyncAnalysis(), cudaMemcpySyncAnalysis(),
            cudaMemsetSyncAnalysis(), gpuGapsAnalysis(),         gpuTimeUtilAnalysis()};
}

std::vector<Analysis> nsysRecipes()
{
    return {cudaGpuTimeUtilMap(), ncclGpuTimeUtilMap(), ncclGpuOverlapTrace(), ncclSum(),
            cudaGpuKernPace(),    nvtxPace(),           cudaGpuKernHist(),     gpuMetricUtilMap(),
            networkSum(),         diffAnalysis()};
}

std::vector<Analysis> memoryTables()
{
    return {memorySummaryAnalysis(), memoryTimelineAnalysis(), memoryPeakAnalysis(), memoryLeaksAnalysis(),
            memoryDiffAnalysis()};
}

struct Registry {
    std::vector<Analysis> all;
    std::vector<AnalysisGroup> groups; // views of `all`
};

Registry madeRegistry()
{
    using Group = std::pair<std::string_view, std::vector<Analysis>>;
    const std::array groups{Group{"Reports", reportTables()},          Group{"Training", trainingTables()},
                            Group{"nsys stats", nsysStats()},          Group{"nsys rules", nsysRules()},
                            Group{"nsys recipes", nsysRecipes()},      Group{"Memory", memoryTables()},
                            Group{kWorkspaceTables, {notesAnalysis()}}};
    Registry made;
    for (const Group& group : groups)
        made.all.insert(made.all.end(), group.second.begin(), group.second.end());
    size_t first = 0;
    for (const Group& group : groups) {
        made.groups.push_back({group.first, std::span(made.all).subspan(first, group.second.size())});
        first += group.second.size();
    }
    return made;
}

const Registry& registry()
{
    static const Registry made = madeRegistry();
    return made;
}

} // namespace

std::span<const Analysis> analyses()
{
    return registry().all;
}

std::vector<AnalysisGroup> analysisGroups()
{
    return registry().groups;
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
        return makeError(ErrorKind::invalid, "'" + words[0] + "' is not a table; available tables: " + names);
    }
    words.erase(words.begin());
    Result<ArgumentValues> arguments = ArgumentValues::parse(analysis->arguments, words);
    if (!arguments) {
        return makeError(arguments.error().kind,
                         std::string(analysis->name) + ": " + arguments.error().message);
    }
    return ResolvedAnalysis{analysis, std::move(*arguments)};
}

Status checkGrouping(const Analysis& analysis, const Scope& scope)
{
    if (scope.by != GroupBy::communicator || analysis.hasCommunicators) return {};
    std::string names;
    for (const Analysis& known : analyses()) {
        if (known.hasCommunicators) names += (names.empty() ? "" : ", ") + std::string(known.name);
    }
    return makeError(ErrorKind::invalid,
                     std::string(analysis.name) +
                         ": rows have no communicator; tables with communicators: " + names);
}

Result<std::unique_ptr<RowStream>> openRows(std::string_view what, const Scene& scene, const Scope& scope,
                                            const Progress& progress, std::span<const InputFile> inputs)
{
    const ResolvedAnalysis resolved = LOCKSTEP_TRY(resolveAnalysis(what));
    LOCKSTEP_TRY(checkGrouping(*resolved.analysis, scope));
    const AnalysisRequest request{what, resolved.arguments, scene, scope, inputs};
    if (resolved.analysis->stream != nullptr) return resolved.analysis->stream(request, progress);
    Table table = LOCKSTEP_TRY(resolved.analysis->run(request, progress));
    LOCKSTEP_TRY(progress.check());
    table.source.filters = scope.description();
    return std::make_unique<TableRowStream>(std::move(table));
}

Result<Table> runAnalysis(std::string_view what, const Scene& scene, const Scope& scope,
                          const Progress& progress, std::span<const InputFile> inputs)
{
    const ResolvedAnalysis resolved = LOCKSTEP_TRY(resolveAnalysis(what));
    LOCKSTEP_TRY(checkGrouping(*resolved.analysis, scope));
    const AnalysisRequest request{what, resolved.arguments, scene, scope, inputs};
    if (resolved.analysis->stream != nullptr) {
        const auto rows = LOCKSTEP_TRY(resolved.analysis->stream(request, progress));
        return collectTable(*rows, kMaxCollectedRows, progress);
    }
    Table table = LOCKSTEP_TRY(resolved.analysis->run(request, progress));
    LOCKSTEP_TRY(progress.check());
    table.source.filters = scope.description();
    return table;
}

} // namespace lockstep
