// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/nsys_stats/library_sums.h"

#include <algorithm>
#include <array>

#include "core/analysis/summary.h"

namespace lockstep {

namespace {

constexpr std::string_view kMpiTitle = "MPI event summary";
constexpr std::string_view kCudnnTitle = "cuDNN API summary";
constexpr std::string_view kCublasTitle = "cuBLAS API summary";

// A table of an export, and what its rows are called where a library has several.
struct CallTable {
    std::string_view table;
    std::string_view source = {};
};

constexpr std::array kMpiTables{
    CallTable{"MPI_P2P_EVENTS", "p2p"}, CallTable{"MPI_COLLECTIVES_EVENTS", "collectives"},
    CallTable{"MPI_START_WAIT_EVENTS", "start_wait"}, CallTable{"MPI_OTHER_EVENTS", "other"}};
constexpr std::array kCudnnTables{CallTable{"CUDNN_EVENTS"}};
constexpr std::array kCublasTables{CallTable{"CUBLAS_EVENTS"}};

const CallTable* tableOf(std::span<const CallTable> tables, const Report& report, SliceId call)
{
    const uint8_t number = report.slices.source[call.value].table();
    if (number >= report.sourceTables.size()) return nullptr;
    const auto found = std::ranges::find(tables, report.sourceTables[number], &CallTable::table);
    return found != tables.end() ? &*found : nullptr;
}

Result<Table> librarySumRows(const AnalysisRequest& request, std::string_view title,
                             std::string_view countName, std::span<const CallTable> tables,
                             const Progress& progress)
{
    const bool areSeveral = tables.size() > 1;
    SummaryRule rule;
    rule.kinds = rowKinds({RowKind::libraryApi});
    rule.counts = [=](const Report& report, SliceId call) {
        return tableOf(tables, report, call) != nullptr;
    };
    rule.key = [=](const Report& report, SliceId call) {
        return uint64_t(tableOf(tables, report, call) - tables.data()) << 32 |
               report.slices.name[call.value].value;
    };
    rule.labels = [=](const Report& report, const Track&, uint64_t key) {
        std::vector<std::string> labels;
        if (areSeveral) labels.emplace_back(tables[key >> 32].source);
        labels.emplace_back(report.strings.at(StringId(static_cast<uint32_t>(key))));
        return labels;
    };
    std::vector<TableColumn> columns;
    if (areSeveral) columns.push_back({"Source", "", ColumnType::text, 0, "what sort of call it is"});
    columns.push_back({"Name", "", ColumnType::text, 0, "name of the call"});
    Table table = LOCKSTEP_TRY(timeSummaryTable(rule, request, title, countName, columns, progress));
    table.source.rows = "rows of ";
    for (const CallTable& each : tables)
        table.source.rows += (&each == tables.data() ? "" : ", ") + std::string(each.table);
    return table;
}

Result<Table> mpiEventSumRows(const AnalysisRequest& request, const Progress& progress)
{
    return librarySumRows(request, kMpiTitle, "Instances", kMpiTables, progress);
}

Result<Table> cudnnApiSumRows(const AnalysisRequest& request, const Progress& progress)
{
    return librarySumRows(request, kCudnnTitle, "Num Calls", kCudnnTables, progress);
}

Result<Table> cublasApiSumRows(const AnalysisRequest& request, const Progress& progress)
{
    return librarySumRows(request, kCublasTitle, "Num Calls", kCublasTables, progress);
}

} // namespace

Analysis mpiEventSum()
{
    return {"mpi_event_sum", kMpiTitle, "MPI calls", {}, mpiEventSumRows};
}

Analysis cudnnApiSum()
{
    return {"cudnn_api_sum", kCudnnTitle, "cuDNN calls", {}, cudnnApiSumRows};
}

Analysis cublasApiSum()
{
    return {"cublas_api_sum", kCublasTitle, "cuBLAS calls", {}, cublasApiSumRows};
}

} // namespace lockstep
