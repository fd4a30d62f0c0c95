// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/nsys_rules/blocking_copies.h"

#include <array>

#include "core/analysis/duration_statistics.h"
#include "core/analysis/empty_table.h"
#include "core/analysis/nsys_rules/rule_table.h"

namespace lockstep {

namespace {

constexpr std::string_view kMemcpyAsyncTitle = "Async copies from or to pageable memory (blocking)";
constexpr std::string_view kMemcpySyncTitle = "Synchronous copies (blocking)";
constexpr std::string_view kMemsetSyncTitle = "Synchronous memsets of host memory (blocking)";
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

// An operation and the call that started it.
struct Blocking {
    const MemoryOp* op = nullptr;
    SliceId call;
    TrackKey track;
};

struct BlockingRule {
    std::string_view title;
    std::string_view rows;
    std::string_view meaning; // describes one row, after "None of the copies in scope is "
    RowKind kind;
    IsBlocking isBlocking;
};

struct Blockings {
    std::vector<Blocking> all;
    std::vector<RuleFinding> findings;
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
    const GroupKey group = groupKeyOf(request.scope.by, request.workspace, key, track.key.process);
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
            found.findings.push_back({group, -range.length().ns, key, range, slice, found.all.size()});
            found.all.push_back({op, link->cause, track.key});
        }
        found.called += isCalled ? 1 : 0;
    }
}

void setBlocking(const AnalysisRequest& request, const BlockingRule& rule, const Blocking& blocking,
                 Table& out, size_t column, const RuleFinding& finding)
{
    const Report& report = request.workspace.report(finding.report);
    const auto setKind = [&](MemoryKind kind) { out.setText(column++, memoryKindName(kind)); };
    out.setNumber(column++, finding.range.length().ns);
    out.setNumber(column++, finding.range.begin.ns);
    if (rule.kind == RowKind::memcpy) setKind(blocking.op->source);
    setKind(blocking.op->destination);            // for a memset: the kind of the target memory
    constexpr int64_t kBytesPerThousandth = 1000; // fraction of a MB
    out.setNumber(column++,
                  roundedQuotient(static_cast<int64_t>(blocking.op->size_bytes), kBytesPerThousandth));
    const TrackKey& track = blocking.track;
    if (track.process.isValid()) out.setNumber(column, report.processes[track.process.value].pid);
    if (const auto ordinal = ordinalOf(report, track.device)) out.setNumber(column + 1, *ordinal);
    if (track.context != 0) out.setNumber(column + 2, track.context);
    out.setNumber(column + 3, track.lane);
    out.setText(column + 4, report.nameOf(blocking.call));
}

Result<Table> blockingRows(const BlockingRule& what, const AnalysisRequest& request, const Progress& progress)
{
    const RuleTable rule(request);
    const ReportWindow window = rule.window();
    Blockings found;
    for (const ReportKey key : request.workspace.keys()) {
        for (const Track& track : request.workspace.report(key).tracks) {
            LOCKSTEP_TRY(progress.check());
            if (track.key.kind == TrackKind::gpuStream &&
                isInScope(request.scope, request.workspace, key, track))
                addFrom(what, request, key, track, window(key), found);
        }
    }
    const bool isCopy = what.kind == RowKind::memcpy;
    std::vector<TableColumn> columns{ruleDuration("duration on the GPU"), ruleStart()};
    const auto text = [&](const char* name, const char* doc) {
        columns.push_back({name, "", ColumnType::text, 0, doc});
    };
    if (isCopy) {
        text("Src Kind", "kind of source memory");
        text("Dst Kind", "kind of destination memory");
    } else {
        text("Memory Kind", "kind of memory that is set");
    }
    columns.push_back({"Bytes", "MB", ColumnType::bytes, 3, "size in 10^6 bytes"});
    columns.push_back(rulePid());
    columns.push_back(ruleDevice());
    columns.push_back(ruleContext());
    columns.push_back({"Stream ID", "", ColumnType::integer, 0, "CUDA stream number from the file"});
    text("API Name", "the API call that started it, as recorded");
    Table table = rule.make(what.title, false, std::move(columns), std::move(found.findings),
                            [&](Table& out, size_t first, const RuleFinding& finding) {
                                setBlocking(request, what, found.all[finding.row], out, first, finding);
                            });
    table.source.rows = std::string(what.rows);
    if (found.all.empty() && found.operations > 0)
        table.source.whenEmpty = noBlockingText(request, what, found);
    table.source.rules.insert(table.source.rules.begin(),
                              "operations and calls are joined by correlation ID within their process");
    return table;
}

Result<Table> memcpyAsyncRows(const AnalysisRequest& request, const Progress& progress)
{
    return blockingRows({kMemcpyAsyncTitle,
                         "copies from or to pageable memory that were started by cudaMemcpy...Async",
                         "an asynchronous copy of pageable memory", RowKind::memcpy, isPageableAsync},
                        request, progress);
}

Result<Table> memcpySyncRows(const AnalysisRequest& request, const Progress& progress)
{
    return blockingRows({kMemcpySyncTitle,
                         "copies that were started by cudaMemcpy... without Async; copies within a device, "
                         "and of 64 KB or less to one, do not block and are excluded",
                         "a synchronous copy that blocks the host", RowKind::memcpy, isSyncCopy},
                        request, progress);
}

Result<Table> memsetSyncRows(const AnalysisRequest& request, const Progress& progress)
{
    return blockingRows({kMemsetSyncTitle,
                         "memsets of pinned or managed memory that were started by cudaMemset... without "
                         "Async",
                         "a synchronous memset of pinned or managed memory", RowKind::memset, isHostMemset},
                        request, progress);
}

} // namespace

Analysis cudaMemcpyAsyncAnalysis()
{
    return {"cuda_memcpy_async", kMemcpyAsyncTitle, "copies", kBlockingArguments, memcpyAsyncRows};
}

Analysis cudaMemcpySyncAnalysis()
{
    return {"cuda_memcpy_sync", kMemcpySyncTitle, "copies", kBlockingArguments, memcpySyncRows};
}

Analysis cudaMemsetSyncAnalysis()
{
    return {"cuda_memset_sync", kMemsetSyncTitle, "memsets", kBlockingArguments, memsetSyncRows};
}

} // namespace lockstep
