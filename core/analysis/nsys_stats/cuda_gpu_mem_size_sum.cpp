// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/nsys_stats/cuda_gpu_mem_size_sum.h"

#include <atomic>

#include "core/analysis/empty_table.h"
#include "core/analysis/nsys_stats/operation_names.h"

namespace lockstep {

namespace {

constexpr std::string_view kCudaGpuMemSizeSumTitle = "CUDA GPU memory size summary";
constexpr RowKinds kCopyKinds = rowKinds({RowKind::memcpy, RowKind::memset});
constexpr int64_t kBytesPerThousandth = 1000; // fraction of a MB; the smallest displayed amount

void addSizeColumns(Table& table)
{
    const auto add = [&](const char* name, const char* doc) {
        table.addColumn({name, "MB", ColumnType::bytes, 3, doc});
    };
    add("Total", "sum of the sizes, in 10^6 bytes");
    table.addColumn({"Count", "", ColumnType::integer, 0, "number of operations with a recorded size"});
    table.markSums({"Total", "Count"});
    add("Avg", "Total / Count");
    add("Med", "median size; the mean of the two middle ones for an even count");
    add("Min", "smallest size");
    add("Max", "largest size");
    add("StdDev", "sample standard deviation (divisor n - 1); 0.000 for a single operation");
    table.addColumn({"Operation", "", ColumnType::text, 0, "direction of the copy, or memset"});
}

void setSizes(Table& table, size_t column, const DurationStatistics& statistics)
{
    table.setNumber(column++, roundedQuotient(statistics.total, kBytesPerThousandth));
    table.setNumber(column++, statistics.count);
    table.setNumber(column++, statistics.average(1, kBytesPerThousandth));
    table.setNumber(column++, statistics.median(1, kBytesPerThousandth));
    table.setNumber(column++, roundedQuotient(statistics.minimum, kBytesPerThousandth));
    table.setNumber(column++, roundedQuotient(statistics.maximum, kBytesPerThousandth));
    table.setNumber(column++, statistics.standardDeviation(1, kBytesPerThousandth));
}

Result<Table> cudaGpuMemSizeSumRows(const AnalysisRequest& request, const Progress& progress)
{
    std::atomic<uint64_t> withoutSize = 0;
    SummaryRule rule;
    rule.unknownAmounts = &withoutSize;
    rule.hasAmounts = true;
    rule.pick = [](ReportKey, const Report& report, uint32_t first, uint32_t last,
                   std::vector<SummaryPick>& out) {
        for (uint32_t row = first; row < last; ++row) {
            const SliceId slice(row);
            if (!holds(kCopyKinds, report.slices.kind[row])) continue;
            const MemoryOp* const op = report.memoryOpOf(slice);
            const bool hasSize = op != nullptr && op->size_bytes <= uint64_t(kAllTime.end.ns);
            out.push_back({row, uint64_t(copyKindOf(report, slice)), report.slices.range(slice),
                           hasSize ? static_cast<int64_t>(op->size_bytes) : -1});
        }
    };
    rule.labels = [](const Report&, const Track&, uint64_t key) {
        return std::vector<std::string>{std::string(copyKindName(static_cast<CopyKind>(key)))};
    };
    const std::vector<SummaryGroup> groups = LOCKSTEP_TRY(summarize(rule, request, progress));
    Table table{std::string(request.what), std::string(kCudaGpuMemSizeSumTitle)};
    addGroupColumn(table, request.scope.by);
    const size_t first = table.columnCount();
    addSizeColumns(table);
    for (const SummaryGroup& group : groups) {
        table.addRow(group.longest);
        setGroup(table, request.scope.by, group.group);
        setSizes(table, first, group.statistics);
        table.setText(table.columnCount() - 1, group.labels[0]);
    }
    table.source.rows = "slices of kind memcpy and memset with a recorded size";
    if (request.scope.time) {
        table.source.rules.push_back(windowRule(request.scope, "operations", ", with their full size"));
    }
    if (withoutSize > 0) {
        table.source.rules.push_back(std::to_string(withoutSize) +
                                     " operations have no recorded size and are left out");
        table.source.whenEmpty = noneInScopeText("copies and memsets", withoutSize) + " has a size.";
    }
    return table;
}

} // namespace

Analysis cudaGpuMemSizeSum()
{
    return {"cuda_gpu_mem_size_sum", kCudaGpuMemSizeSumTitle, "copies or memsets", {}, cudaGpuMemSizeSumRows};
}

} // namespace lockstep
