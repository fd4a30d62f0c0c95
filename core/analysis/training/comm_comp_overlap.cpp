// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/training/comm_comp_overlap.h"

#include <algorithm>
#include <array>
#include <map>

#include "core/analysis/duration_statistics.h"
#include "core/analysis/empty_table.h"
#include "core/analysis/summary.h"
#include "core/analysis/training/rank_work.h"
#include "core/base/interval_set.h"

namespace lockstep {

namespace {

constexpr std::string_view kOverlapTitle = "Communication/computation overlap";
constexpr std::array kOverlapArguments{kHtaArgument, kAllStepsArgument};

struct OverlapRow {
    GroupKey group;
    const RankWork* work = nullptr;
    std::vector<WorkRow> communication; // sorted by start
};

// Returns the communication of a process under its group, or by communicator.
std::map<GroupKey, std::vector<WorkRow>> communicationOf(const AnalysisRequest& request, const RankWork& work)
{
    std::vector<WorkRow> all = work.rowsOf(KernelClass::communication);
    std::map<GroupKey, std::vector<WorkRow>> out;
    if (request.scope.by != GroupBy::communicator) {
        out[work.group] = std::move(all);
        return out;
    }
    const Report& report = request.workspace.report(work.report);
    for (const WorkRow& row : all) {
        const auto op = std::ranges::lower_bound(report.collectives, row.slice, {}, &CollectiveOp::slice);
        const bool isStated = op != report.collectives.end() && op->slice == row.slice && op->group.isValid();
        const std::string name(isStated ? report.strings.at(op->group) : std::string_view());
        out[{name.empty(), 0, name}].push_back(row);
    }
    return out;
}

Result<Table> overlapRows(const AnalysisRequest& request, const Progress& progress)
{
    const auto works = LOCKSTEP_TRY(rankWorkInScope(request, progress));
    Table table{std::string(request.what), std::string(kOverlapTitle)};
    RankColumns columns(request, table);
    const size_t first = table.columnCount();
    table.addColumn({"comp_comm_overlap_pctg", "", ColumnType::percent, 2,
                     "overlap_time as a share of comm_time; empty without communication"});
    const auto time = [&](const char* name, const char* doc) {
        table.addColumn({name, "ns", ColumnType::time, 0, doc});
    };
    time("comm_time", "union of communication");
    time("overlap_time", "communication that overlaps computation");
    time("exposed_time", "communication that does not overlap computation");
    table.addColumn(
        {"exposed_pctg", "", ColumnType::percent, 2,
         "exposed_time as a share of the time from the first start to the last end of all GPU work"});
    columns.addReport();
    std::vector<OverlapRow> rows;
    size_t looked = 0;
    for (const RankWork& work : works) {
        LOCKSTEP_TRY(progress.check());
        if (work.rows.empty()) continue;
        looked += work.rows.size();
        for (auto& [group, communication] : communicationOf(request, work))
            rows.push_back({group, &work, std::move(communication)});
    }
    std::ranges::stable_sort(rows, {}, &OverlapRow::group);
    for (const OverlapRow& row : rows) {
        const RankWork& work = *row.work;
        const auto communication = IntervalSet::unionOf(mergedRanges(row.communication));
        const auto computation = IntervalSet::unionOf(mergedRanges(work.rowsOf(KernelClass::computation)));
        const int64_t comm_ns = communication.length().ns;
        const int64_t overlap_ns = communication.intersectedWith(computation).length().ns;
        const std::vector<TimeRange> busy = mergedRanges(work.rows);
        columns.addRow(work, work.rows.front().slice);
        setGroup(table, request.scope.by, row.group);
        if (comm_ns > 0) table.setNumber(first, roundedQuotient(__int128(overlap_ns) * 10'000, comm_ns));
        table.setNumber(first + 1, comm_ns);
        table.setNumber(first + 2, overlap_ns);
        table.setNumber(first + 3, comm_ns - overlap_ns);
        table.setNumber(first + 4, roundedQuotient(__int128(comm_ns - overlap_ns) * 10'000,
                                                   (busy.back().end - busy.front().begin).ns));
    }
    if (looked > 0)
        table.source.whenEmpty = noneInScopeText("rows of GPU work", looked) + " is communication.";
    describeWork(request, works, table.source);
    if (request.scope.by == GroupBy::communicator)
        table.source.rules.push_back("a kernel belongs to the communicator recorded for it in its file; "
                                     "communicators may overlap, so their times need not add up");
    return table;
}

} // namespace

Analysis commCompOverlapAnalysis()
{
    return {"comm_comp_overlap", kOverlapTitle, "kernels", kOverlapArguments, overlapRows, true};
}

} // namespace lockstep
