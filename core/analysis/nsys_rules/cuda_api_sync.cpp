// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/nsys_rules/cuda_api_sync.h"

#include <array>

#include "core/analysis/empty_table.h"

namespace lockstep {

namespace {

constexpr std::array kCudaApiSyncArguments{kRowsArgument, kStartArgument, kEndArgument, kNvtxArgument};

// For each StringId of a report, returns whether the name is such a call.
std::vector<bool> waitingCalls(const Report& report)
{
    std::vector<bool> isOne(report.strings.size());
    for (size_t i = 0; i < isOne.size(); ++i) {
        const std::string_view name = report.strings.at(StringId(i));
        isOne[i] = name.starts_with("cudaDeviceSynchronize") || name.starts_with("cudaStreamSynchronize");
    }
    return isOne;
}

TableColumns<SynchronizationRow> cudaApiSyncColumns(const AnalysisRequest& request)
{
    using Row = SynchronizationRow;
    TableColumns<Row> columns = firstRuleColumns<Row>(request, false);
    addRuleTime(columns, "duration of the call");
    addRulePid(columns);
    columns.count(&Row::thread, "TID", "thread ID on its host")
        .text(&Row::call, "API Name", "API call as recorded");
    addLastRuleColumns(columns, request);
    return columns;
}

} // namespace

Result<AnalysisRows<SynchronizationRow>> cudaApiSync(const AnalysisRequest& request, const Progress& progress)
{
    const ReportWindow windowOfReport = ruleWindow(request);
    std::vector<SynchronizationRow> found;
    size_t calls = 0;
    for (const ReportKey key : request.workspace.keys()) {
        const Report& report = request.workspace.report(key);
        const std::vector<bool> isWaiting = waitingCalls(report);
        const auto window = windowOfReport(key);
        for (const Track& track : report.tracks) {
            LOCKSTEP_TRY(progress.check());
            if (track.key.kind != TrackKind::cudaApi ||
                !isInScope(request.scope, request.workspace, key, track))
                continue;
            for (uint32_t row = track.firstSlice.value; row < track.firstSlice.value + track.sliceCount;
                 ++row) {
                if (row % kRowsBetweenChecks == 0) LOCKSTEP_TRY(progress.check());
                const TimeRange range = report.slices.range(SliceId(row));
                if (!isInWindow(request.scope, window, range)) continue;
                ++calls;
                if (!isWaiting[report.slices.name[row].value]) continue;
                const std::string_view name = report.nameOf(SliceId(row));
                if (request.scope.name && !request.scope.name->matches(name)) continue;
                SynchronizationRow& call =
                    found.emplace_back(ruleRow(request, key, track.key.process, range, SliceId(row)));
                if (track.key.thread.isValid()) call.thread = report.threads[track.key.thread.value].tid;
                call.call = name;
            }
        }
    }
    const bool isNone = found.empty() && calls > 0;
    auto made = listWorst(request, std::move(found));
    made.source.rows = "CUDA API calls named cudaDeviceSynchronize... or cudaStreamSynchronize...";
    if (isNone) {
        made.source.whenEmpty = noneInScopeText("CUDA API calls", calls) +
                                " is a cudaDeviceSynchronize or cudaStreamSynchronize" +
                                (request.scope.name ? " that matches the name filter." : ".");
    }
    return made;
}

Analysis cudaApiSyncAnalysis()
{
    return {"cuda_api_sync", "Synchronous CUDA calls (blocking)", "CUDA API calls", kCudaApiSyncArguments,
            makeTable<cudaApiSync, cudaApiSyncColumns>};
}

} // namespace lockstep
