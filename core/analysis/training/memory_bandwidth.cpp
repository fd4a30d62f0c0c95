// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/training/memory_bandwidth.h"

#include <algorithm>
#include <array>
#include <map>

#include "core/analysis/duration_statistics.h"
#include "core/analysis/nsys_stats/operation_names.h"
#include "core/analysis/training/describe_columns.h"
#include "core/analysis/training/rank_work.h"

namespace lockstep {

namespace {

constexpr std::string_view kBandwidthTitle = "Memory bandwidth of copies and memsets";
constexpr std::array kBandwidthArguments{kAllStepsArgument, kHtaArgument};

struct Moved {
    std::vector<double> rates; // GB/s
    int64_t bytes = 0;
    int64_t time_ns = 0;
    SliceId slowest;
    double least = 0;
};

Result<Table> bandwidthRows(const AnalysisRequest& request, const Progress& progress)
{
    const auto works = LOCKSTEP_TRY(rankWorkInScope(request, progress));
    Table table{std::string(request.what), std::string(kBandwidthTitle)};
    RankColumns columns(request, table);
    const size_t first = table.addColumn({"operation", "", ColumnType::text, 0, "direction, or memset"});
    DescribeColumns describe(table, "GB/s", ColumnType::real, 3,
                             "bytes / duration of each, 10^9 bytes a second");
    const size_t rest = table.addColumn({"bytes", "B", ColumnType::bytes, 0, "sum of the sizes"});
    table.addColumn({"overall", "GB/s", ColumnType::real, 3, "bytes / sum of the durations"});
    columns.addReport();
    size_t without = 0;
    for (const RankWork& work : works) {
        LOCKSTEP_TRY(progress.check());
        const Report& report = request.workspace.report(work.report);
        std::map<CopyKind, Moved> moved;
        for (const WorkRow& row : work.rows) {
            const RowKind kind = report.slices.kind[row.slice.value];
            if (kind != RowKind::memcpy && kind != RowKind::memset) continue;
            const MemoryOp* const op = report.memoryOpOf(row.slice);
            const int64_t ns = report.slices.duration(row.slice).ns;
            if (op == nullptr || ns <= 0 || op->size_bytes == 0 ||
                op->size_bytes > uint64_t(kAllTime.end.ns)) {
                ++without;
                continue;
            }
            Moved& of = moved[copyKindOf(report, row.slice)];
            const double rate = static_cast<double>(op->size_bytes) / static_cast<double>(ns);
            if (of.rates.empty() || rate < of.least)
                std::tie(of.least, of.slowest) = std::tuple(rate, row.slice);
            of.rates.push_back(rate);
            of.bytes += static_cast<int64_t>(op->size_bytes);
            of.time_ns += ns;
        }
        for (auto& [kind, of] : moved) {
            columns.addRow(work, of.slowest);
            table.setText(first, copyKindName(kind));
            describe.set(of.rates);
            table.setNumber(rest, of.bytes);
            table.setNumber(rest + 1, roundedQuotient(__int128(of.bytes) * 1000, of.time_ns));
        }
    }
    describeWork(request, works, table);
    if (without > 0)
        table.source.rules.push_back(std::to_string(without) +
                                     " operations without a size or a duration are left out");
    return table;
}

} // namespace

Analysis memoryBandwidthAnalysis()
{
    return {"memory_bandwidth", kBandwidthTitle, "copies or memsets", kBandwidthArguments, bandwidthRows};
}

} // namespace lockstep
