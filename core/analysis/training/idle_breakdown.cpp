// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/training/idle_breakdown.h"

#include <algorithm>
#include <array>
#include <map>

#include "core/analysis/duration_statistics.h"
#include "core/analysis/gap_cause.h"
#include "core/analysis/training/rank_work.h"

namespace lockstep {

namespace {

constexpr std::string_view kIdleBreakdownTitle = "Idle breakdown: what each stream waited for";
constexpr AnalysisArgument kDelayArgument{
    "delay", "waits for the next kernel are shorter than this", ArgumentType::duration, "30us", "us", 0,
    4.6e18};
constexpr std::array kIdleBreakdownArguments{kDelayArgument, kHtaArgument, kAllStepsArgument};

constexpr std::array<std::string_view, static_cast<size_t>(WaitFor::count)> kWaitNames{
    "host_wait", "kernel_wait", "other"};

struct StreamWaits {
    std::array<int64_t, kWaitNames.size()> waited_ns{};
    std::array<int64_t, kWaitNames.size()> count{};
    std::array<SliceId, kWaitNames.size()> longest{}; // the row that follows the wait
    std::array<int64_t, kWaitNames.size()> longest_ns{-1, -1, -1};
};

// rows: the rows on one stream, sorted by start. HTA measures the wait from the end of the previous row, even
// if an earlier row ran longer, and allows negative waits.
StreamWaits waitsOf(std::span<const WorkRow> rows, const Report& report, Duration delay, bool isHta)
{
    StreamWaits waits;
    TraceTime end = rows.front().range.end;
    for (size_t i = 1; i < rows.size(); ++i) {
        const WorkRow& row = rows[i];
        const int64_t gap_ns = (row.range.begin - end).ns;
        TraceTime launched = row.call.isValid() ? report.slices.start(row.call) : kAllTime.begin;
        if (isHta && row.call.isValid()) launched = roundedByHta({launched, launched}).begin;
        const auto wait = static_cast<size_t>(waitForOf({end, row.range.begin}, launched, delay));
        if (isHta || gap_ns > 0) {
            waits.waited_ns[wait] += gap_ns;
            ++waits.count[wait];
            if (gap_ns > waits.longest_ns[wait]) {
                waits.longest_ns[wait] = gap_ns;
                waits.longest[wait] = row.slice;
            }
        }
        end = isHta ? row.range.end : std::max(end, row.range.end);
    }
    return waits;
}

Result<Table> idleBreakdownRows(const AnalysisRequest& request, const Progress& progress)
{
    const auto works = LOCKSTEP_TRY(rankWorkInScope(request, progress));
    Table table{std::string(request.what), std::string(kIdleBreakdownTitle)};
    RankColumns columns(request, table);
    const size_t first = table.columnCount();
    table.addColumn({"stream", "", ColumnType::integer, 0, "stream number from the file"});
    table.addColumn({"idle_category", "", ColumnType::text, 0,
                     "host_wait: launched after the previous row had ended; kernel_wait: launched "
                     "earlier, and the wait was shorter than the delay; otherwise other"});
    table.addColumn({"idle_time", "ns", ColumnType::time, 0, "sum of the gaps between rows of the stream"});
    table.addColumn({"idle_time_ratio", "", ColumnType::real, 2, "share of the stream's waits"});
    table.addColumn({"waits", "", ColumnType::integer, 0, "number of waits"});
    table.markSums({"idle_time", "waits"});
    columns.addReport();
    const bool isHta = request.arguments.flag(kHtaArgument.name);
    for (const RankWork& work : works) {
        LOCKSTEP_TRY(progress.check());
        std::map<int64_t, std::vector<WorkRow>> streams;
        for (const WorkRow& row : work.rows)
            streams[row.stream].push_back(row);
        for (const auto& [stream, rows] : streams) {
            const StreamWaits waits = waitsOf(rows, request.workspace.report(work.report),
                                              request.arguments.duration(kDelayArgument.name), isHta);
            const int64_t whole_ns = waits.waited_ns[0] + waits.waited_ns[1] + waits.waited_ns[2];
            for (size_t wait = 0; wait < kWaitNames.size(); ++wait) {
                columns.addRow(work, waits.longest[wait]);
                table.setNumber(first, stream);
                table.setText(first + 1, kWaitNames[wait]);
                table.setNumber(first + 2, waits.waited_ns[wait]);
                table.setNumber(first + 3, roundedQuotient(__int128(waits.waited_ns[wait]) * 100, whole_ns));
                table.setNumber(first + 4, waits.count[wait]);
            }
        }
    }
    describeWork(request, works, table.source);
    table.source.rules.push_back("the first row of a stream has no wait");
    return table;
}

} // namespace

Analysis idleBreakdownAnalysis()
{
    return {"idle_breakdown", kIdleBreakdownTitle, "kernels, copies or memsets", kIdleBreakdownArguments,
            idleBreakdownRows};
}

} // namespace lockstep
