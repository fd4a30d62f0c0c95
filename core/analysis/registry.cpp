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
#include "core/analysis/nsys_stats/cuda_api_gpu_sum.h"
#include "core/analysis/nsys_stats/cuda_api_sum.h"
#include "core/analysis/nsys_stats/cuda_gpu_kern_sum.h"
#include "core/analysis/nsys_stats/cuda_gpu_mem_size_sum.h"
#include "core/analysis/nsys_stats/cuda_gpu_mem_time_sum.h"
#include "core/analysis/nsys_stats/cuda_gpu_sum.h"
#include "core/analysis/nsys_stats/nvtx_sum.h"
#include "core/analysis/nsys_stats/osrt_sum.h"
#include "core/analysis/straggler_table.h"

namespace lockstep {

namespace {

std::vector<std::string_view> splitAtColons(std::string_view text)
{
    std::vector<std::string_view> parts;
    for (size_t begin = 0; begin <= text.size();) {
        const size_t end = std::min(text.find(':', begin), text.size());
        parts.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

} // namespace

bool AnalysisRequest::hasArgument(std::string_view name) const
{
    return std::ranges::find(arguments, name) != arguments.end();
}

std::span<const Analysis> analyses()
{
    static const std::array<Analysis, 19> kAnalyses{
        inventoryAnalysis(),
        alignmentAnalysis(),
        stragglersAnalysis(),
        collectivesAnalysis(),
        cudaGpuKernSum(),
        cudaGpuMemTimeSum(),
        cudaGpuMemSizeSum(),
        cudaGpuSum(),
        cudaApiSum(),
        cudaApiGpuSum(),
        nvtxSum(),
        nvtxPushPopSum(),
        nvtxStartEndSum(),
        osrtSum(),
        memorySummaryAnalysis(),
        memoryTimelineAnalysis(),
        memoryPeakAnalysis(),
        memoryLeaksAnalysis(),
        memoryDiffAnalysis(),
    };
    return kAnalyses;
}

const Analysis* findAnalysis(std::string_view what)
{
    const std::string_view name = what.substr(0, what.find(':'));
    const auto found = std::ranges::find(analyses(), name, &Analysis::name);
    return found == analyses().end() ? nullptr : &*found;
}

Result<const Analysis*> resolveAnalysis(std::string_view what)
{
    const std::vector<std::string_view> words = splitAtColons(what);
    const Analysis* const analysis = findAnalysis(what);
    if (analysis == nullptr) {
        std::string names;
        for (const Analysis& known : analyses())
            names += (names.empty() ? "" : ", ") + std::string(known.name);
        return makeError(ErrorKind::invalid,
                         "'" + std::string(words[0]) + "' is no table of this build; there are " + names);
    }
    for (size_t i = 1; i < words.size(); ++i) {
        if (std::ranges::find(analysis->arguments, words[i], &AnalysisArgument::name) !=
            analysis->arguments.end()) {
            continue;
        }
        std::string names;
        for (const auto& argument : analysis->arguments)
            names += " :" + std::string(argument.name);
        return makeError(ErrorKind::invalid, std::string(analysis->name) +
                                                 " takes no argument ':" + std::string(words[i]) +
                                                 "'; it takes" + (names.empty() ? " none" : names));
    }
    return analysis;
}

Result<Table> runAnalysis(std::string_view what, const Scene& scene, const Scope& scope,
                          const Progress& progress, std::span<const InputFile> inputs)
{
    const Analysis* const analysis = LOCKSTEP_TRY(resolveAnalysis(what));
    std::vector<std::string_view> words = splitAtColons(what);
    words.erase(words.begin());
    const AnalysisRequest request{what, std::move(words), scene, scope, inputs};
    Table table = LOCKSTEP_TRY(analysis->run(request, progress));
    LOCKSTEP_TRY(progress.check());
    table.source.filters = scope.description();
    return table;
}

} // namespace lockstep
