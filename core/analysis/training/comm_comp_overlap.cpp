// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/training/comm_comp_overlap.h"

#include <array>

#include "core/analysis/duration_statistics.h"
#include "core/analysis/interval_set.h"
#include "core/analysis/training/rank_work.h"

namespace lockstep {

namespace {

constexpr std::string_view kOverlapTitle = "Communication and computation at once";
constexpr std::array kOverlapArguments{kHtaArgument, kAllStepsArgument};

Result<Table> overlapRows(const AnalysisRequest& request, const Progress& progress)
{
    const auto works = LOCKSTEP_TRY(rankWorkInScope(request, progress));
    Table table{std::string(request.what), std::string(kOverlapTitle)};
    RankColumns columns(request, table);
    const size_t first = table.columnCount();
    table.addColumn({"comp_comm_overlap_pctg", "", ColumnType::percent, 2,
                     "overlap_time of comm_time; empty where nothing communicated"});
    const auto time = [&](const char* name, const char* doc) {
        table.addColumn({name, "ns", ColumnType::time, 0, doc});
    };
    time("comm_time", "union of communication");
    time("overlap_time", "what of it computation ran beside");
    time("exposed_time", "what of it no computation ran beside");
    table.addColumn({"exposed_pctg", "", ColumnType::percent, 2,
                     "exposed_time of the time from the first start to the last end of all GPU work"});
    columns.addReport();
    for (const RankWork& work : works) {
        LOCKSTEP_TRY(progress.check());
        if (work.rows.empty()) continue;
        const auto communication =
            IntervalSet::unionOf(mergedRanges(work.rowsOf(KernelClass::communication)));
        const auto computation = IntervalSet::unionOf(mergedRanges(work.rowsOf(KernelClass::computation)));
        const int64_t comm_ns = communication.length().ns;
        const int64_t overlap_ns = communication.intersectedWith(computation).length().ns;
        const std::vector<TimeRange> busy = mergedRanges(work.rows);
        columns.addRow(work, work.rows.front().slice);
        if (comm_ns > 0) table.setNumber(first, roundedQuotient(__int128(overlap_ns) * 10'000, comm_ns));
        table.setNumber(first + 1, comm_ns);
        table.setNumber(first + 2, overlap_ns);
        table.setNumber(first + 3, comm_ns - overlap_ns);
        table.setNumber(first + 4, roundedQuotient(__int128(comm_ns - overlap_ns) * 10'000,
                                                   (busy.back().end - busy.front().begin).ns));
    }
    describeWork(request, works, table);
    return table;
}

} // namespace

Analysis commCompOverlapAnalysis()
{
    return {"comm_comp_overlap", kOverlapTitle, "kernels", kOverlapArguments, overlapRows};
}

} // namespace lockstep
