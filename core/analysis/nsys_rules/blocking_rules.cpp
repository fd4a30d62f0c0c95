// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/nsys_rules/blocking_rules.h"

#include <array>

#include "core/analysis/duration_statistics.h"
#include "core/analysis/empty_table.h"
#include "core/analysis/registry.h"

namespace lockstep {

namespace {

constexpr std::array kBlockingArguments{kRowsArgument, kStartArgument, kEndArgument, kNvtxArgument};
constexpr uint64_t kStaged_bytes = 64 * 1024; // for copies up to this size, the host continues as soon as the
                                              // data is staged

// Returns whether the rule covers operations that a call with this name starts.
using IsBlocking = bool (*)(const MemoryOp& op, std::string_view call);

bool isAsyncCall(std::string_view call)
{
    return call.find("Async") != call.npos;
}

bool isPageableAsync(const MemoryOp& op, std::string_view call)
{
    const bool isPageable = op.source == MemoryKind::pageable || op.destination == MemoryKind::pageable;
    return isPageable && call.starts_with("cudaMemcpy") && isAsyncCall(call);
}

bool isSyncCopy(const MemoryOp& op, std::string_view call)
{
    if (!call.starts_with("cudaMemcpy") || isAsyncCall(call)) return false;
    const bool isStaged = op.kind == CopyKind::hostToDevice && op.size_bytes <= kStaged_bytes;
    return op.kind != CopyKind::deviceToDevice && !isStaged;
}

bool isHostMemset(const MemoryOp& op, std::string_view call)
{
    const bool isOfHost = op.destination == MemoryKind::pinned || op.destination == MemoryKind::managed;
    return isOfHost && call.starts_with("cudaMemset") && !isAsyncCall(call);
}

struct BlockingRule {
    std::string_view rows;
    std::string_view meaning; // describes one row, after "None of the copies in scope is "
    RowKind kind;
    IsBlocking isBlocking;
};

struct Blockings {
    std::vector<BlockingRow> rows;
    size_t operations = 0,
           called = 0; // number of operations of the rule's kind in scope, and how many of these have a
                       // recorded call
};

// Returns why the table is empty.
std::string noBlockingText(const AnalysisRequest& request, const BlockingRule& rule, const Blockings& found)
{
    const std::string none =
        noneInScopeText(rule.kind == RowKind::memcpy ? "copies" : "memsets", found.operations);
    if (found.called == 0) return none + " has a recorded call: no correlation ID links them.";
    return none + " is " + std::string(rule.meaning) +
           (request.scope.name ? " by a call that matches the name filter." : ".");
}

void addFrom(const BlockingRule& rule, const AnalysisRequest& request, ReportKey key, const Track& track,
             const std::optional<TimeRange>& window, Blockings& found)
{
    const Report& report = request.workspace.report(key);
    for (uint32_t row = track.firstSlice.value; row < track.firstSlice.value + track.sliceCount; ++row) {
        if (report.slices.kind[row] != rule.kind) continue;
        const SliceId slice(row);
        const MemoryOp* const op = report.memoryOpOf(slice);
        const TimeRange range = report.slices.range(slice);
        if (!isInWindow(request.scope, window, range)) continue;
        ++found.operations;
        bool isCalled = false;
        for (size_t n = 0;; ++n) { // a call may be recorded twice, once with its backtrace; nsys lists both
            const Link* const link = report.links.to(slice, n);
            if (link == nullptr) break;
            const std::string_view call = report.nameOf(link->cause);
            isCalled |= link->kind == LinkKind::launch;
            if (link->kind != LinkKind::launch || op == nullptr || !rule.isBlocking(*op, call)) continue;
            if (request.scope.name && !request.scope.name->matches(call)) continue;
            BlockingRow& made =
                found.rows.emplace_back(ruleRow(request, key, track.key.process, range, slice));
            made.device = ordinalOf(report, track.key.device);
            if (track.key.context != 0) made.context = track.key.context;
            made.from = op->source;
            made.to = op->destination;
            constexpr int64_t kBytesPerThousandth = 1000; // fraction of a MB
            made.size_kB = roundedQuotient(static_cast<int64_t>(op->size_bytes), kBytesPerThousandth);
            made.stream = track.key.lane;
            made.call = call;
        }
        found.called += isCalled ? 1 : 0;
    }
}

Result<BlockingRows> blockingRows(const BlockingRule& rule, const AnalysisRequest& request,
                                  const Progress& progress)
{
    const ReportWindow window = ruleWindow(request);
    Blockings found;
    for (const ReportKey key : request.workspace.keys()) {
        for (const Track& track : request.workspace.report(key).tracks) {
            LOCKSTEP_TRY(progress.check());
            if (track.key.kind == TrackKind::gpuStream &&
                isInScope(request.scope, request.workspace, key, track))
                addFrom(rule, request, key, track, window(key), found);
        }
    }
    const bool isNone = found.rows.empty() && found.operations > 0;
    BlockingRows made = listWorst(request, std::move(found.rows));
    made.source.rows = rule.rows;
    if (isNone) made.source.whenEmpty = noBlockingText(request, rule, found);
    made.source.rules.insert(made.source.rules.begin(),
                             "operations and calls are joined by correlation ID within their process");
    return made;
}

template<RowKind kKind>
TableColumns<BlockingRow> blockingColumns(const AnalysisRequest& request)
{
    using Row = BlockingRow;
    TableColumns<Row> columns = firstRuleColumns<Row>(request, false);
    addRuleTime(columns, "duration on the GPU");
    if (kKind == RowKind::memcpy) {
        columns.text(&Row::fromName, "Src Kind", "kind of source memory")
            .text(&Row::toName, "Dst Kind", "kind of destination memory");
    } else {
        columns.text(&Row::toName, "Memory Kind", "kind of memory that is set");
    }
    columns.add(&Row::size_kB, {"Bytes", "MB", ColumnType::bytes, 3, "size in 10^6 bytes"});
    addRulePlace(columns);
    columns.count(&Row::stream, "Stream ID", "CUDA stream number from the file")
        .text(&Row::call, "API Name", "the API call that started it, as recorded");
    addLastRuleColumns(columns, request);
    return columns;
}

} // namespace

Result<BlockingRows> cudaMemcpyAsync(const AnalysisRequest& request, const Progress& progress)
{
    return blockingRows({"copies from or to pageable memory that were started by cudaMemcpy...Async",
                         "an asynchronous copy of pageable memory", RowKind::memcpy, isPageableAsync},
                        request, progress);
}

Result<BlockingRows> cudaMemcpySync(const AnalysisRequest& request, const Progress& progress)
{
    return blockingRows({"copies that were started by cudaMemcpy... without Async; copies within a device, "
                         "and of 64 KB or less to one, do not block and are excluded",
                         "a synchronous copy that blocks the host", RowKind::memcpy, isSyncCopy},
                        request, progress);
}

Result<BlockingRows> cudaMemsetSync(const AnalysisRequest& request, const Progress& progress)
{
    return blockingRows({"memsets of pinned or managed memory that were started by cudaMemset... without "
                         "Async",
                         "a synchronous memset of pinned or managed memory", RowKind::memset, isHostMemset},
                        request, progress);
}

Analysis cudaMemcpyAsyncAnalysis()
{
    return {"cuda_memcpy_async", "Async copies from or to pageable memory (blocking)", "copies",
            kBlockingArguments, makeTable<cudaMemcpyAsync, blockingColumns<RowKind::memcpy>>};
}

Analysis cudaMemcpySyncAnalysis()
{
    return {"cuda_memcpy_sync", "Synchronous copies (blocking)", "copies", kBlockingArguments,
            makeTable<cudaMemcpySync, blockingColumns<RowKind::memcpy>>};
}

Analysis cudaMemsetSyncAnalysis()
{
    return {"cuda_memset_sync", "Synchronous memsets of host memory (blocking)", "memsets",
            kBlockingArguments, makeTable<cudaMemsetSync, blockingColumns<RowKind::memset>>};
}

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
