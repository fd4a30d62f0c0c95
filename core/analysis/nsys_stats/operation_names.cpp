// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/nsys_stats/operation_names.h"

#include <algorithm>

namespace lockstep {

uint64_t KernelNames::key(const Report& report, SliceId kernel) const
{
    const StringId full = report.slices.name[kernel.value];
    if (!areBase) return full.value;
    const auto found =
        std::ranges::lower_bound(report.shortNames, full, {}, &std::pair<StringId, StringId>::first);
    return found != report.shortNames.end() && found->first == full ? found->second.value : full.value;
}

CopyKind copyKindOf(const Report& report, SliceId operation)
{
    if (report.slices.kind[operation.value] == RowKind::memset) return CopyKind::memset;
    const MemoryOp* const op = report.memoryOpOf(operation);
    return op != nullptr ? op->kind : CopyKind::unknown;
}

std::string_view apiNameWithoutVersion(std::string_view name)
{
    constexpr size_t kSuffix = 6;
    if (name.size() <= kSuffix) return name;
    const std::string_view suffix = name.substr(name.size() - kSuffix);
    const bool isVersion =
        suffix.starts_with("_v") && suffix.find_first_not_of("0123456789", 2) == suffix.npos;
    return isVersion ? name.substr(0, name.size() - kSuffix) : name;
}

void noteWholeGraphs(Table& table, const Workspace& workspace)
{
    uint64_t graphs = 0;
    bool hasKernels = false;
    for (const ReportKey key : workspace.keys()) {
        const auto& kinds = workspace.report(key).slices.kind;
        graphs += static_cast<uint64_t>(std::ranges::count(kinds, RowKind::graphLaunch));
        hasKernels = hasKernels || std::ranges::find(kinds, RowKind::kernel) != kinds.end();
    }
    if (graphs == 0) return;
    table.source.rules.push_back("the inputs contain " + std::to_string(graphs) +
                                 " CUDA graph launches recorded as a whole: their kernels are not listed");
    if (hasKernels) return;
    table.source.whenEmpty =
        "No individual kernels were recorded: CUDA graphs were recorded as a whole (launches: " +
        std::to_string(graphs) + "). nsys profile --cuda-graph-trace=node " + "records their kernels.";
}

void noteBacktraces(Table& table, const Workspace& workspace)
{
    uint64_t calls = 0;
    for (const ReportKey key : workspace.keys()) {
        const SliceTable& slices = workspace.report(key).slices;
        for (size_t row = 0; row < slices.size(); ++row)
            calls += slices.kind[row] == RowKind::span && slices.category[row] == SliceCategory::cudaApi;
    }
    if (calls == 0) return;
    table.source.rules.push_back("the inputs contain " + std::to_string(calls) +
                                 " calls a second time, recorded with their backtraces: they count here, "
                                 "as nsys stats counts them (seen in 2021, 2022.4 and 2023.4)");
}

} // namespace lockstep
