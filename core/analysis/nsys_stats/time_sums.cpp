// SPDX-License-Identifier: Apache-2.0
// The nsys stats reports that only sum durations by name. Each report is one description that specifies which
// rows are counted and under which name. The columns are Time, Total Time, a count, Avg, Med, Min, Max and
// StdDev, then the names.
#include "core/analysis/registry.h"

#include <algorithm>
#include <array>

#include "core/analysis/nsys_stats/operation_names.h"

namespace lockstep {

namespace {

// The rule shared by cuda_gpu_sum and cuda_api_gpu_sum, which lists each operation under its category and
// name.

enum class Category : uint8_t { kernel, memory, api };

constexpr unsigned kCategoryShift = 32; // the bits below hold the name's StringId, or the copy kind

// Categories are spelled as in nsys stats: CUDA_KERNEL, MEMORY_OPER, CUDA_API. As in nsys stats, calls in
// this table are grouped only by name, including calls that were recorded a second time with a backtrace.
SummaryRule categorizedRule(RowKinds kinds, KernelNames names)
{
    SummaryRule rule;
    const auto keyOf = [names](const Report& report, SliceId slice) {
        const RowKind kind = report.slices.kind[slice.value];
        if (kind == RowKind::kernel) return names.key(report, slice);
        if (holds(kCudaApiKinds, kind)) {
            return uint64_t(Category::api) << kCategoryShift | report.slices.name[slice.value].value;
        }
        return uint64_t(Category::memory) << kCategoryShift | uint64_t(copyKindOf(report, slice));
    };
    rule.pick = pickSlices(kinds, keyOf, ApiCallOrNoSpan());
    rule.labels = [](const Report& report, const Track&, uint64_t key) -> std::vector<std::string> {
        const auto below = static_cast<uint32_t>(key);
        switch (static_cast<Category>(key >> kCategoryShift & 3)) {
        case Category::kernel:
            return {"CUDA_KERNEL", std::string(report.strings.at(StringId(below)))};
        case Category::memory:
            return {"MEMORY_OPER", std::string(copyKindName(static_cast<CopyKind>(below)))};
        case Category::api:
            break;
        }
        return {"CUDA_API", std::string(apiNameWithoutVersion(report.strings.at(StringId(below))))};
    };
    return rule;
}

// Returns the columns Category and Operation.
std::vector<TableColumn> categoryColumns()
{
    return {{"Category", "", ColumnType::text, 0, "CUDA_KERNEL, MEMORY_OPER or CUDA_API"},
            {"Operation", "", ColumnType::text, 0,
             "name of the kernel, direction of the copy, or name of the call"}};
}

// Describes one summary table. Also reports work that the table does not show.
struct TimeSum {
    std::string_view name, title, rows; // same as in Analysis
    std::string_view source;            // description of the table's rows
    std::string_view countName;
    SummaryRule (*rule)(const ArgumentValues& arguments);
    std::vector<TableColumn> (*labels)();
    std::span<const AnalysisArgument> arguments = {};
    bool hasBacktraces = false, hidesGraphs = false;
};

template<const TimeSum& kSum>
Result<Table> timeSumRows(const AnalysisRequest& request, const Progress& progress)
{
    const SummaryRule rule = kSum.rule(request.arguments);
    Table table =
        LOCKSTEP_TRY(timeSummaryTable(rule, request, kSum.title, kSum.countName, kSum.labels(), progress));
    table.source.rows = kSum.source;
    if (kSum.hasBacktraces) noteBacktraces(table, request.workspace);
    if (kSum.hidesGraphs) noteWholeGraphs(table, request.workspace);
    return table;
}

template<const TimeSum& kSum>
Analysis analysisOf()
{
    return {kSum.name, kSum.title, kSum.rows, kSum.arguments, timeSumRows<kSum>};
}

std::vector<TableColumn> nameColumn(const char* doc)
{
    return {{"Name", "", ColumnType::text, 0, doc}};
}

// Groups slices by their unmodified name.
SummaryRule namedRule(RowKinds kinds)
{
    SummaryRule rule;
    rule.pick = pickSlices(kinds, [](const Report& report, SliceId slice) {
        return uint64_t(report.slices.name[slice.value].value);
    });
    rule.labels = [](const Report& report, const Track&, uint64_t key) {
        return std::vector<std::string>{std::string(report.strings.at(StringId(key)))};
    };
    return rule;
}

SummaryRule copyRule(const ArgumentValues&)
{
    SummaryRule rule;
    rule.pick =
        pickSlices(rowKinds({RowKind::memcpy, RowKind::memset}),
                   [](const Report& report, SliceId slice) { return uint64_t(copyKindOf(report, slice)); });
    rule.labels = [](const Report&, const Track&, uint64_t key) {
        return std::vector<std::string>{std::string(copyKindName(static_cast<CopyKind>(key)))};
    };
    return rule;
}

constexpr uint64_t kBacktraceBit = uint64_t(1) << 40; // bit above the name's StringId

// Groups calls by name without a version suffix; " [backtrace]" is appended for calls that were recorded a
// second time with a backtrace.
SummaryRule callRule(const ArgumentValues&)
{
    SummaryRule rule;
    const auto keyOf = [](const Report& report, SliceId call) {
        const bool isBacktrace = report.slices.kind[call.value] == RowKind::span;
        return (isBacktrace ? kBacktraceBit : 0) | report.slices.name[call.value].value;
    };
    rule.pick = pickSlices(kCudaApiKinds, keyOf, ApiCallOrNoSpan());
    rule.labels = [](const Report& report, const Track&, uint64_t key) {
        const std::string_view name = report.strings.at(StringId(static_cast<uint32_t>(key)));
        return std::vector<std::string>{std::string(apiNameWithoutVersion(name)) +
                                        ((key & kBacktraceBit) != 0 ? " [backtrace]" : "")};
    };
    return rule;
}

constexpr RowKinds kGpuKinds = rowKinds({RowKind::kernel, RowKind::memcpy, RowKind::memset});

// A table in an nsys export. If a library has several tables, also the class of the table's rows.
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

SummaryRule libraryRule(std::span<const CallTable> tables)
{
    SummaryRule rule;
    const auto counts = [=](const Report& report, SliceId call) {
        return tableOf(tables, report, call) != nullptr;
    };
    const auto keyOf = [=](const Report& report, SliceId call) {
        return uint64_t(tableOf(tables, report, call) - tables.data()) << 32 |
               report.slices.name[call.value].value;
    };
    rule.pick = pickSlices(rowKinds({RowKind::libraryApi}), keyOf, counts);
    rule.labels = [=](const Report& report, const Track&, uint64_t key) {
        std::vector<std::string> labels;
        if (tables.size() > 1) labels.emplace_back(tables[key >> 32].source);
        labels.emplace_back(report.strings.at(StringId(static_cast<uint32_t>(key))));
        return labels;
    };
    return rule;
}

constexpr std::array<AnalysisArgument, 1> kBaseAlone{kBaseArgument};

constexpr TimeSum kMemTimeSum{"cuda_gpu_mem_time_sum",
                              "CUDA GPU memory time summary",
                              "copies or memsets",
                              "slices of kind memcpy and memset",
                              "Count",
                              copyRule,
                              [] {
                                  return std::vector<TableColumn>{{"Operation", "", ColumnType::text, 0,
                                                                   "direction of the copy, or memset"}};
                              }};
constexpr TimeSum kGpuSum{"cuda_gpu_sum",
                          "CUDA GPU summary (kernels and memory operations)",
                          "kernels, copies or memsets",
                          "slices of kind kernel, memcpy and memset",
                          "Instances",
                          [](const ArgumentValues& arguments) {
                              return categorizedRule(kGpuKinds,
                                                     KernelNames{arguments.flag(kBaseArgument.name)});
                          },
                          categoryColumns,
                          kBaseAlone,
                          false,
                          true};
constexpr TimeSum kApiGpuSum{
    "cuda_api_gpu_sum",
    "CUDA API and GPU summary",
    "CUDA API calls or GPU work",
    "slices of kind runtime_api and driver_api (and others in their tables), kernel, memcpy and memset",
    "Instances",
    [](const ArgumentValues& arguments) {
        return categorizedRule(kGpuKinds | kCudaApiKinds, KernelNames{arguments.flag(kBaseArgument.name)});
    },
    categoryColumns,
    kBaseAlone,
    true,
    true};
constexpr TimeSum kApiSum{
    "cuda_api_sum",
    "CUDA API summary",
    "CUDA API calls",
    "slices of kind runtime_api and driver_api, and other kinds in their tables",
    "Num Calls",
    callRule,
    [] {
        return nameColumn("name of the call without its version suffix; [backtrace]: calls recorded a second "
                          "time with a backtrace, which nsys stats lists again under their plain name");
    },
    {},
    true};
constexpr TimeSum kOsrtSum{"osrt_sum",
                           "OS runtime summary",
                           "OS runtime calls",
                           "slices of kind os_runtime",
                           "Num Calls",
                           [](const ArgumentValues&) { return namedRule(rowKinds({RowKind::osRuntime})); },
                           [] { return nameColumn("name of the call"); }};
constexpr TimeSum kCudnnSum{"cudnn_api_sum",
                            "cuDNN API summary",
                            "cuDNN calls",
                            "rows of CUDNN_EVENTS",
                            "Num Calls",
                            [](const ArgumentValues&) { return libraryRule(kCudnnTables); },
                            [] { return nameColumn("name of the call"); }};
constexpr TimeSum kCublasSum{"cublas_api_sum",
                             "cuBLAS API summary",
                             "cuBLAS calls",
                             "rows of CUBLAS_EVENTS",
                             "Num Calls",
                             [](const ArgumentValues&) { return libraryRule(kCublasTables); },
                             [] { return nameColumn("name of the call"); }};
constexpr TimeSum kMpiSum{
    "mpi_event_sum",
    "MPI event summary",
    "MPI calls",
    "rows of MPI_P2P_EVENTS, MPI_COLLECTIVES_EVENTS, MPI_START_WAIT_EVENTS, MPI_OTHER_EVENTS",
    "Instances",
    [](const ArgumentValues&) { return libraryRule(kMpiTables); },
    [] {
        std::vector<TableColumn> columns = nameColumn("name of the call");
        columns.insert(columns.begin(), {"Source", "", ColumnType::text, 0, "class of the call"});
        return columns;
    }};

} // namespace

// Copies and memsets by operation.
Analysis cudaGpuMemTimeSum()
{
    return analysisOf<kMemTimeSum>();
}

// Kernels, copies and memsets. Percentages are relative to the total of all three.
Analysis cudaGpuSum()
{
    return analysisOf<kGpuSum>();
}

// CUDA runtime and driver calls by name. Every row in CUPTI_ACTIVITY_KIND_RUNTIME is counted, regardless of
// its eventClass, as in the nsys stats versions that were checked: 2021, 2022.4 and 2023.4. A call that was
// recorded with its backtrace (eventClass 67) therefore occurs twice. In this table, the name of the second
// row ends in "[backtrace]", and the rules mention such calls.
Analysis cudaApiSum()
{
    return analysisOf<kApiSum>();
}

// CUDA calls, kernels, copies and memsets. Percentages are relative to the total of all four.
Analysis cudaApiGpuSum()
{
    return analysisOf<kApiGpuSum>();
}

// OS runtime calls by name: rows in OSRT_API with eventClass 27 (as in 2022.4 and 2023.4), except those that
// mark the start and end of tracing.
Analysis osrtSum()
{
    return analysisOf<kOsrtSum>();
}

// Calls to a library by name, from that library's tables in an nsys export.
Analysis cudnnApiSum()
{
    return analysisOf<kCudnnSum>();
}

Analysis cublasApiSum()
{
    return analysisOf<kCublasSum>();
}

Analysis mpiEventSum()
{
    return analysisOf<kMpiSum>();
}

} // namespace lockstep
