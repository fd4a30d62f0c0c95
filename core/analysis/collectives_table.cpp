// SPDX-License-Identifier: Apache-2.0
// The `collectives` analysis: one row per collective with several participating ranks. Shows the arrival skew
// (net of clock error), the transfer time, the waiting ranks, and the activity of the last rank to arrive. By
// the spec, the wait of a rank is its duration minus the shortest duration on any rank, which does not
// require aligned clocks.
#include "core/analysis/registry.h"

#include <algorithm>
#include <array>
#include <map>

#include "core/align/alignment_report.h"
#include "core/align/straggler_metrics.h"
#include "core/analysis/collective_selection.h"
#include "core/analysis/duration_statistics.h"

namespace lockstep {

namespace {

// The tables of the `collectives` analysis, one function each.

constexpr std::string_view kTitle = "Collectives across ranks";
constexpr const char* kSkewDoc =
    "last start minus first start on the aligned axis; empty if the clocks are not "
    "aligned with each other";
constexpr const char* kTransferDoc =
    "shortest duration of all ranks: an upper limit for the transfer itself; does not "
    "depend on clock alignment";

size_t addText(Table& table, const char* name, const char* doc)
{
    return table.addColumn({name, "", ColumnType::text, 0, doc});
}

size_t addCount(Table& table, const char* name, const char* doc)
{
    return table.addColumn({name, "", ColumnType::integer, 0, doc});
}

size_t addTime(Table& table, const char* name, const char* doc, ColumnMeaning meaning = ColumnMeaning::other)
{
    return table.addColumn({name, "ns", ColumnType::time, 0, doc, meaning});
}

void setIfAny(Table& table, size_t column, const std::optional<int64_t>& value)
{
    if (value) table.setNumber(column, *value);
}

// The leading columns in two of the tables, which identify a collective.
struct CollectiveKeyColumns {
    explicit CollectiveKeyColumns(Table& table)
        : group(addText(table, "group", "process group, or the stream if matched by pattern")),
          collective(addText(table, "collective", "name recorded in the file, else the kernel's base name")),
          sequence(addCount(table, "seq", "sequence number within the group, as recorded in the file")),
          step(addCount(table, "step", "training step recorded in the files")),
          start(addTime(table, "start", "first start of all ranks, on the aligned axis",
                        ColumnMeaning::alignedTime))
    {
    }

    void set(Table& table, const CollectiveSelection& selection, uint32_t index) const
    {
        const CollectiveMatches& matches = selection.matches();
        table.setText(group, matches.groups[matches.collectives[index].group].name);
        table.setText(collective, selection.nameOf(index));
        const Collective& first = selection.at(selection.partsOf(index).front());
        if (first.sequence != CollectiveOp::kAbsentCount)
            table.setNumber(sequence, static_cast<int64_t>(first.sequence));
        setIfAny(table, step, selection.stepOf(index));
        TraceTime earliest = kAllTime.end;
        for (const MatchedPart& part : selection.partsOf(index))
            earliest = std::min(earliest, selection.alignedRange(part).begin);
        table.setNumber(start, earliest.ns);
    }

    size_t group, collective, sequence, step, start;
};

SliceRef sliceOf(const CollectiveSelection& selection, MatchedPart part)
{
    return {selection.matches().ranks[part.rank].report, selection.at(part).slice};
}

// What the last rank to arrive was doing while the other ranks waited.
struct LateColumns {
    explicit LateColumns(Table& table)
        : doing(addText(table, "late_doing",
                        "activity of the last rank during most of the longest wait: GPU work, else the "
                        "launching thread's own time")),
          phase(addText(table, "late_phase", "innermost annotation around the last rank's launch")),
          bound(addText(table, "late_on", "gpu or host: where the last rank was busy"))
    {
    }

    void set(Table& table, const CollectiveSelection& selection, const CollectiveTiming& timing) const
    {
        const auto parts = selection.partsOf(timing.collective);
        const auto last = std::ranges::find(parts, timing.lastRank, &MatchedPart::rank);
        const Report& report = selection.reportOf(timing.lastRank);
        const LateActivity activity = lateActivity(report, selection.at(*last).slice, {timing.imbalance_ns});
        if (activity.slice.isValid()) table.setText(doing, report.shortNameOf(activity.slice));
        if (activity.annotation.isValid()) table.setText(phase, report.nameOf(activity.annotation));
        table.setText(bound, activity.isHostBound ? "host" : activity.slice.isValid() ? "gpu" : "");
    }

    size_t doing, phase, bound;
};

// One row per collective, by group and time.
Table collectiveTable(const AnalysisRequest& request, const CollectiveSelection& selection)
{
    Table table{std::string(request.what), std::string(kTitle)};
    const CollectiveKeyColumns keyColumns(table);
    const size_t ranks = addCount(table, "ranks", "number of participating ranks whose reports are open");
    const size_t type = addText(table, "dtype", "element type recorded in the file");
    const size_t bytes = table.addColumn(
        {"message", "B", ColumnType::bytes, 0, "input size of the first rank; empty if no file records it"});
    const size_t transfer = addTime(table, "transfer", kTransferDoc);
    const size_t skew = addTime(table, "skew", kSkewDoc, ColumnMeaning::alignedDuration);
    const size_t error =
        addTime(table, "skew_error", "likely error of the skew, from the clock error bounds");
    const size_t net = addTime(table, "net_skew", "skew minus its error: the part that is certainly real",
                               ColumnMeaning::alignedDuration);
    const size_t longest = addTime(table, "longest_wait", "longest minus shortest duration of all ranks");
    const size_t total = addTime(table, "total_wait", "sum over ranks of duration minus transfer");
    const size_t last = addText(table, "last", "last rank to arrive: shortest duration");
    const size_t lastByStart = addText(table, "last_by_start", "the rank with the last aligned start");
    const size_t disputed = addText(table, "disputed",
                                    "yes: durations and starts disagree about the last rank by more than "
                                    "the clock error, because of a wrong match or an operation that does "
                                    "not wait");
    const LateColumns late(table);
    table.markSums({"total_wait"});
    const StragglerMetrics metrics = selection.stragglers(selection.collectives());
    for (const CollectiveTiming& timing : metrics.timings) {
        const auto parts = selection.partsOf(timing.collective);
        const auto part = std::ranges::find(parts, timing.lastRank, &MatchedPart::rank);
        table.addRow(sliceOf(selection, *part));
        keyColumns.set(table, selection, timing.collective);
        table.setNumber(ranks, static_cast<int64_t>(parts.size()));
        table.setText(type, selection.dataTypeOf(timing.collective));
        const CollectiveOp* const op = selection.opOf(timing.collective);
        if (op != nullptr && op->message_bytes < CollectiveOp::kAbsentCount / 2)
            table.setNumber(bytes, static_cast<int64_t>(op->message_bytes));
        table.setNumber(transfer, timing.transfer_ns);
        setIfAny(table, skew, timing.skew_ns);
        setIfAny(table, error, timing.skewError_ns);
        if (timing.skew_ns) table.setNumber(net, timing.netSkew_ns());
        table.setNumber(longest, timing.imbalance_ns);
        table.setNumber(total, timing.totalWait_ns);
        table.setText(last, selection.rankText(timing.lastRank));
        if (timing.lastByStart) table.setText(lastByStart, selection.rankText(*timing.lastByStart));
        table.setText(disputed, timing.isDisputed ? "yes" : "");
        late.set(table, selection, timing);
    }
    return table;
}

// One row per collective and rank.
Table collectiveRankTable(const AnalysisRequest& request, const CollectiveSelection& selection)
{
    Table table{std::string(request.what), "Collectives, rank by rank"};
    const CollectiveKeyColumns keyColumns(table);
    const size_t rank = addCount(table, "rank", "rank in the job; empty if no file records it");
    const size_t role = addText(table, "role", "role in the job; empty if no file records it");
    const size_t host = addText(table, "host", "host name; empty if no file records it");
    const size_t began =
        addTime(table, "rank_start", "start on this rank, on the aligned axis", ColumnMeaning::alignedTime);
    const size_t duration = addTime(table, "duration", "duration of the rank's kernel, on its own clock");
    const size_t transfer = addTime(table, "transfer", kTransferDoc);
    const size_t wait =
        addTime(table, "wait", "duration minus transfer: how long the rank waited for the last rank");
    const size_t byStart = addTime(table, "wait_by_start",
                                   "last aligned start minus the rank's own; empty if the clocks are not "
                                   "aligned with each other",
                                   ColumnMeaning::alignedDuration);
    const size_t isLast = addText(table, "last", "yes for the rank with the shortest duration");
    const StragglerMetrics metrics = selection.stragglers(selection.collectives());
    for (const CollectiveTiming& timing : metrics.timings) {
        for (const MatchedPart& part : selection.partsOf(timing.collective)) {
            if (!selection.isRankInScope(part.rank)) continue;
            const Collective& own = selection.at(part);
            const Identity identity = selection.identityOfRank(part.rank);
            const TraceTime start = selection.alignedRange(part).begin;
            table.addRow(sliceOf(selection, part));
            keyColumns.set(table, selection, timing.collective);
            if (identity.rank.isKnown()) table.setNumber(rank, *identity.rank.value);
            table.setText(role, identity.role.value.value_or(""));
            table.setText(host, identity.host.value.value_or(""));
            table.setNumber(began, start.ns);
            table.setNumber(duration, (own.end - own.start).ns);
            table.setNumber(transfer, timing.transfer_ns);
            table.setNumber(wait, (own.end - own.start).ns - timing.transfer_ns);
            if (timing.skew_ns) table.setNumber(byStart, timing.firstStart.ns + *timing.skew_ns - start.ns);
            table.setText(isLast, part.rank == timing.lastRank ? "yes" : "");
        }
    }
    return table;
}

// The timings for one group and name.
struct NamedTimings {
    std::vector<int64_t> transfers, imbalances, skews;
    int64_t totalWait_ns = 0;
    uint64_t disputed = 0;
    std::map<uint32_t, int64_t> causedByRank; // wait that each rank caused by arriving last
    SliceRef worst;
    int64_t worst_ns = -1;
};

std::map<std::pair<uint32_t, std::string>, NamedTimings> timingsByName(const StragglerMetrics& metrics,
                                                                       const CollectiveSelection& selection)
{
    std::map<std::pair<uint32_t, std::string>, NamedTimings> out;
    for (const CollectiveTiming& timing : metrics.timings) {
        const uint32_t group = selection.matches().collectives[timing.collective].group;
        NamedTimings& named = out[{group, selection.nameOf(timing.collective)}];
        named.transfers.push_back(timing.transfer_ns);
        named.imbalances.push_back(timing.imbalance_ns);
        if (timing.skew_ns) named.skews.push_back(timing.netSkew_ns());
        named.totalWait_ns += timing.totalWait_ns;
        named.disputed += timing.isDisputed ? 1 : 0;
        named.causedByRank[timing.lastRank] += timing.imbalance_ns;
        if (timing.imbalance_ns <= named.worst_ns) continue;
        named.worst_ns = timing.imbalance_ns;
        const auto parts = selection.partsOf(timing.collective);
        named.worst = sliceOf(selection, *std::ranges::find(parts, timing.lastRank, &MatchedPart::rank));
    }
    return out;
}

// One row per process group and collective name, with the largest total wait first.
Table collectiveSumTable(const AnalysisRequest& request, const CollectiveSelection& selection)
{
    Table table{std::string(request.what), "Collectives by group and name"};
    const size_t group = addText(table, "group", "process group, or the stream if matched by pattern");
    const size_t name = addText(table, "collective",
                                "name recorded in the file, else the kernel's base "
                                "name");
    const size_t count = addCount(table, "count", "matched collectives");
    const size_t transfer = addTime(table, "transfer_total", "sum of the shortest durations");
    const size_t median = addTime(table, "transfer_median", "median of the shortest durations, rounded");
    const size_t wait = addTime(table, "total_wait",
                                "sum over collectives and ranks of duration minus "
                                "transfer");
    const size_t longest =
        addTime(table, "longest_wait", "longest wait of any rank in any of the collectives");
    const size_t typical = addTime(table, "wait_median", "median of each collective's longest wait, rounded");
    const size_t skew =
        addTime(table, "net_skew_median", "median arrival skew minus its error; empty without a common clock",
                ColumnMeaning::alignedDuration);
    const size_t worst = addText(table, "worst", "the rank that caused the most wait by arriving last");
    const size_t disputed = addCount(table, "disputed", "collectives whose starts and durations disagree");
    table.markSums({"count", "transfer_total", "total_wait", "disputed"});
    const StragglerMetrics metrics = selection.stragglers(selection.collectives());
    auto byName = timingsByName(metrics, selection);
    for (auto& [key, named] : byName) {
        const DurationStatistics transfers = durationStatistics(named.transfers);
        const DurationStatistics imbalances = durationStatistics(named.imbalances);
        table.addRow(named.worst);
        table.setText(group, selection.matches().groups[key.first].name);
        table.setText(name, key.second);
        table.setNumber(count, transfers.count);
        table.setNumber(transfer, transfers.total);
        table.setNumber(median, transfers.median(1));
        table.setNumber(wait, named.totalWait_ns);
        table.setNumber(longest, imbalances.maximum);
        table.setNumber(typical, imbalances.median(1));
        if (!named.skews.empty()) table.setNumber(skew, durationStatistics(named.skews).median(1));
        const auto most =
            std::ranges::max_element(named.causedByRank, {}, [](const auto& entry) { return entry.second; });
        table.setText(worst, selection.rankText(most->first));
        table.setNumber(disputed, static_cast<int64_t>(named.disputed));
    }
    table.reorder(sortedRows(table, wait, true));
    if (request.scope.by == GroupBy::communicator) table.reorder(sortedRows(table, group, false));
    return table;
}

// One row per process group.
Table processGroupTable(const AnalysisRequest& request, const CollectiveSelection& selection)
{
    Table table{std::string(request.what), "Process groups and their matches"};
    const size_t world = addText(table, "world", "job of the group: run, role, world size");
    const size_t group = addText(table, "group", "process group, or the stream if matched by pattern");
    const size_t ranks = addText(table, "ranks", "members listed in the files; empty if they list none");
    const size_t open = addCount(table, "open_ranks", "ranks of the group whose reports are open");
    const size_t matched = addCount(table, "matched", "communication rows matched to a collective");
    const size_t unmatched = addCount(table, "unmatched", "communication rows without a match");
    const size_t unusable = addCount(table, "unusable",
                                     "rows not used: clipped (or possibly clipped) by the capture's edge, "
                                     "or shorter than 2 us");
    const size_t repeated = addCount(
        table, "repeated",
        "rows of a restarted process that reused a sequence number after the other ranks had passed it");
    const size_t mismatched =
        addCount(table, "mismatched", "rows dropped: same sequence number, different operation");
    const size_t by = addText(table, "matched_by",
                              "matched by sequence number, or by pattern of equal "
                              "operations");
    table.markSums({"matched", "unmatched", "unusable", "repeated", "mismatched"});
    const size_t refusal = addText(table, "refusal", "why the group, or ranks of it, were excluded");
    for (const MatchedGroup& own : selection.matches().groups) {
        table.addRow();
        table.setText(world, own.world);
        table.setText(group, own.name);
        table.setText(ranks, ranksText(own.ranks));
        table.setNumber(open, own.memberCount);
        table.setNumber(matched, static_cast<int64_t>(own.matched));
        table.setNumber(unmatched, static_cast<int64_t>(own.unmatched));
        table.setNumber(unusable, static_cast<int64_t>(own.unusable));
        table.setNumber(repeated, static_cast<int64_t>(own.repeated));
        table.setNumber(mismatched, static_cast<int64_t>(own.mismatched));
        table.setText(by, own.isByPattern ? "pattern" : "sequence");
        table.setText(refusal, own.refusal);
    }
    return table;
}

constexpr std::string_view kCollectivesTableTitle = "Collectives across ranks";

constexpr std::array kCollectivesTableArguments{
    AnalysisArgument{"ranks", "one row per collective and rank"},
    AnalysisArgument{"sum", "one row per process group and name"},
    AnalysisArgument{"groups", "one row per process group: what was matched, and why not"},
};

Result<Table> collectivesTable(const AnalysisRequest& request, const Progress& progress)
{
    LOCKSTEP_TRY(progress.check());
    const CollectiveSelection selection(request, progress);
    LOCKSTEP_TRY(progress.check());
    Table table = request.arguments.flag("groups")  ? processGroupTable(request, selection)
                  : request.arguments.flag("ranks") ? collectiveRankTable(request, selection)
                  : request.arguments.flag("sum")   ? collectiveSumTable(request, selection)
                                                    : collectiveTable(request, selection);
    table.headerStyle = HeaderStyle::identifier;
    selection.describe(table.source);
    if (request.scope.by == GroupBy::communicator)
        table.source.rules.push_back("rows are split by communicator: see the group column");
    else if (request.scope.by != GroupBy::total)
        table.source.rules.push_back(
            "not split by " + std::string(groupByName(request.scope.by)) +
            ": a collective spans several ranks; collectives:ranks has one row per rank");
    return table;
}

} // namespace

// Arguments: ":ranks" gives one row per collective and rank. ":sum" gives one row per process group and name.
// ":groups" gives one row per process group with the match results and the reasons for missing matches.
Analysis collectivesAnalysis()
{
    return {"collectives",
            kCollectivesTableTitle,
            "collectives of two or more ranks",
            kCollectivesTableArguments,
            collectivesTable,
            RowOwner::communicator};
}

} // namespace lockstep
