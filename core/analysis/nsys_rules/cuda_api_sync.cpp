// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/nsys_rules/cuda_api_sync.h"

#include <array>

#include "core/analysis/empty_table.h"
#include "core/analysis/nsys_rules/rule_table.h"

namespace lockstep {

namespace {

constexpr std::string_view kCudaApiSyncTitle = "Synchronous CUDA calls (blocking)";
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

Result<Table> cudaApiSyncRows(const AnalysisRequest& request, const Progress& progress)
{
    const RuleTable rule(request);
    const ReportWindow windowOfReport = rule.window();
    std::vector<RuleFinding> findings;
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
            const GroupKey group = groupKeyOf(request.scope.by, request.workspace, key, track.key.process);
            for (uint32_t row = track.firstSlice.value; row < track.firstSlice.value + track.sliceCount;
                 ++row) {
                if (row % kRowsBetweenChecks == 0) LOCKSTEP_TRY(progress.check());
                const TimeRange range = report.slices.range(SliceId(row));
                if (!isInWindow(request.scope, window, range)) continue;
                ++calls;
                if (!isWaiting[report.slices.name[row].value]) continue;
                if (request.scope.name && !request.scope.name->matches(report.nameOf(SliceId(row)))) continue;
                findings.push_back({group, -range.length().ns, key, range, SliceId(row),
                                    static_cast<size_t>(&track - report.tracks.data())});
            }
        }
    }
    const bool isNone = findings.empty() && calls > 0;
    Table table = rule.make(kCudaApiSyncTitle, false,
                            {ruleDuration("duration of the call"),
                             ruleStart(),
                             rulePid(),
                             {"TID", "", ColumnType::integer, 0, "thread ID on its host"},
                             {"API Name", "", ColumnType::text, 0, "API call as recorded"}},
                            std::move(findings), [&](Table& out, size_t first, const RuleFinding& finding) {
                                const Report& report = request.workspace.report(finding.report);
                                const TrackKey& track = report.tracks[finding.row].key;
                                out.setNumber(first, finding.range.length().ns);
                                out.setNumber(first + 1, finding.range.begin.ns);
                                if (track.process.isValid())
                                    out.setNumber(first + 2, report.processes[track.process.value].pid);
                                if (track.thread.isValid())
                                    out.setNumber(first + 3, report.threads[track.thread.value].tid);
                                out.setText(first + 4, report.nameOf(finding.slice));
                            });
    table.source.rows = "CUDA API calls named cudaDeviceSynchronize... or cudaStreamSynchronize...";
    if (isNone) {
        table.source.whenEmpty = noneInScopeText("CUDA API calls", calls) +
                                 " is a cudaDeviceSynchronize or cudaStreamSynchronize" +
                                 (request.scope.name ? " that matches the name filter." : ".");
    }
    return table;
}

} // namespace

Analysis cudaApiSyncAnalysis()
{
    return {"cuda_api_sync", kCudaApiSyncTitle, "CUDA API calls", kCudaApiSyncArguments, cudaApiSyncRows};
}

} // namespace lockstep
