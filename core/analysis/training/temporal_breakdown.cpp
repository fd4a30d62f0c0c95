// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/training/temporal_breakdown.h"

#include <array>

#include "core/analysis/duration_statistics.h"
#include "core/analysis/training/rank_work.h"

namespace lockstep {

namespace {

constexpr std::string_view kTemporalTitle = "Temporal breakdown: idle, compute and other GPU time";
constexpr std::array kTemporalArguments{kHtaArgument, kAllStepsArgument};

struct TemporalTimes {
    int64_t kernel_ns = 0, idle_ns = 0, compute_ns = 0;
    int64_t nonCompute_ns() const { return kernel_ns - idle_ns - compute_ns; }
};

TemporalTimes temporalTimes(const RankWork& work)
{
    const std::vector<TimeRange> busy = mergedRanges(work.rows);
    TemporalTimes times;
    times.kernel_ns = (busy.back().end - busy.front().begin).ns;
    times.idle_ns = times.kernel_ns - lengthOf(busy).ns;
    times.compute_ns = lengthOf(mergedRanges(work.rowsOf(KernelClass::computation))).ns;
    return times;
}

Result<Table> temporalRows(const AnalysisRequest& request, const Progress& progress)
{
    const bool isHta = request.arguments.flag(kHtaArgument.name);
    const auto works =
        LOCKSTEP_TRY(rankWorkInScope(request, progress, isHta ? WorkRows::allOfStreams : WorkRows::gpuWork));
    Table table{std::string(request.what), std::string(kTemporalTitle)};
    RankColumns columns(request, table);
    const size_t first = table.columnCount();
    const auto time = [&](const char* name, const char* doc) {
        table.addColumn({name, "ns", ColumnType::time, 0, doc});
    };
    time("idle_time", "part of kernel_time without work on any stream");
    time("compute_time", "union of computation");
    time("non_compute_time", "communication and memory operations that do not overlap computation");
    time("kernel_time", "time from the first start to the last end");
    for (const char* const name : {"idle_time_pctg", "compute_time_pctg", "non_compute_time_pctg"})
        table.addColumn({name, "", ColumnType::percent, 2, "share of kernel_time"});
    columns.addReport();
    for (const RankWork& work : works) {
        LOCKSTEP_TRY(progress.check());
        if (work.rows.empty()) continue;
        const TemporalTimes times = temporalTimes(work);
        const std::array parts{times.idle_ns, times.compute_ns, times.nonCompute_ns()};
        columns.addRow(work, work.rows.front().slice);
        for (size_t i = 0; i < parts.size(); ++i) {
            table.setNumber(first + i, parts[i]);
            table.setNumber(first + 4 + i, roundedQuotient(__int128(parts[i]) * 10'000, times.kernel_ns));
        }
        table.setNumber(first + 3, times.kernel_ns);
    }
    describeWork(request, works, table.source);
    if (isHta) table.source.rules.push_back("synchronizations of a stream count as work, as in HTA");
    return table;
}

} // namespace

Analysis temporalBreakdownAnalysis()
{
    return {"temporal_breakdown", kTemporalTitle, "kernels, copies or memsets", kTemporalArguments,
            temporalRows};
}

} // namespace lockstep
