// SPDX-License-Identifier: Apache-2.0
// Counts the contents of an export: the rows of the tables that were read, and adds a note for each table
// that was not read.
#include <algorithm>
#include <array>

#include "core/readers/nsys_sqlite/export_import.h"

namespace lockstep {

bool isSideTable(std::string_view table)
{
    static constexpr std::array<std::string_view, 12> kPrefixes{
        "ENUM_",          "TARGET_INFO_", "META_DATA_",
        "NVTX_PAYLOAD_",  "NVTX_SCOPES",  "OSRT_FILE_ACCESS_DESC",
        "ANALYSIS_",      "sqlite_",      "EXPORT_META_DATA",
        "GENERIC_EVENT_", "NIC_ID_MAP",   "MPI_COMMUNICATORS"};
    static constexpr std::array<std::string_view, 6> kNames{
        "StringIds", "PROCESSES", "ThreadNames", "ProcessStreams", "UnwindMethodType", "UCP_WORKERS"};
    return table.ends_with("_CALLCHAINS") || std::ranges::find(kNames, table) != kNames.end() ||
           std::ranges::any_of(kPrefixes, [&](std::string_view prefix) { return table.starts_with(prefix); });
}

namespace {

struct CountedTable {
    CountedRows kind;
    std::string_view table;
};

// The tables for each count. If none of the tables for a kind exists, the kind was not captured and is
// omitted.
constexpr std::array kCountedTables{
    CountedTable{CountedRows::kernel, "CUPTI_ACTIVITY_KIND_KERNEL"},
    CountedTable{CountedRows::memcpy, "CUPTI_ACTIVITY_KIND_MEMCPY"},
    CountedTable{CountedRows::memset, "CUPTI_ACTIVITY_KIND_MEMSET"},
    CountedTable{CountedRows::graphLaunch, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE"},
    CountedTable{CountedRows::synchronization, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION"},
    CountedTable{CountedRows::cudaEvent, "CUPTI_ACTIVITY_KIND_CUDA_EVENT"},
    CountedTable{CountedRows::runtimeApi, "CUPTI_ACTIVITY_KIND_RUNTIME"},
    CountedTable{CountedRows::driverApi, "CUPTI_ACTIVITY_KIND_RUNTIME"},
    CountedTable{CountedRows::otherApi, "CUPTI_ACTIVITY_KIND_RUNTIME"},
    CountedTable{CountedRows::nvtxPushPop, "NVTX_EVENTS"},
    CountedTable{CountedRows::nvtxStartEnd, "NVTX_EVENTS"},
    CountedTable{CountedRows::nvtxMark, "NVTX_EVENTS"},
    CountedTable{CountedRows::nvtxOther, "NVTX_EVENTS"},
    CountedTable{CountedRows::osRuntime, "OSRT_API"},
    CountedTable{CountedRows::osRuntime, "SYSCALL"},
    CountedTable{CountedRows::scheduling, "SCHED_EVENTS"},
    CountedTable{CountedRows::sample, "COMPOSITE_EVENTS"},
    CountedTable{CountedRows::overhead, "PROFILER_OVERHEAD"},
    CountedTable{CountedRows::overhead, "CUPTI_ACTIVITY_KIND_OVERHEAD"},
    CountedTable{CountedRows::memoryUsage, "CUDA_GPU_MEMORY_USAGE_EVENTS"},
    CountedTable{CountedRows::gpuMetric, "GPU_METRICS"},
    CountedTable{CountedRows::genericEvent, "GENERIC_EVENTS"},
    CountedTable{CountedRows::networkMetric, "NET_NIC_METRIC"},
    CountedTable{CountedRows::networkMetric, "NET_IB_SWITCH_METRIC"},
    CountedTable{CountedRows::graphEvent, "CUDA_GRAPH_EVENTS"},
    CountedTable{CountedRows::graphEvent, "CUDA_GRAPH_NODE_EVENTS"},
    CountedTable{CountedRows::libraryApi, "CUDNN_EVENTS"},
    CountedTable{CountedRows::libraryApi, "CUBLAS_EVENTS"},
    CountedTable{CountedRows::libraryApi, "MPI_P2P_EVENTS"},
    CountedTable{CountedRows::libraryApi, "MPI_COLLECTIVES_EVENTS"},
    CountedTable{CountedRows::libraryApi, "MPI_START_WAIT_EVENTS"},
    CountedTable{CountedRows::libraryApi, "MPI_OTHER_EVENTS"},
    CountedTable{CountedRows::libraryApi, "UCP_SUBMIT_EVENTS"},
    CountedTable{CountedRows::libraryApi, "UCP_PROGRESS_EVENTS"},
    CountedTable{CountedRows::libraryApi, "UCP_EVENTS"},
    CountedTable{CountedRows::pageFault, "CUDA_UM_CPU_PAGE_FAULT_EVENTS"},
    CountedTable{CountedRows::pageFault, "CUDA_UM_GPU_PAGE_FAULT_EVENTS"},
    CountedTable{CountedRows::memoryPool, "CUDA_GPU_MEMORY_POOL_EVENTS"},
    CountedTable{CountedRows::contextSwitch, "GPU_CONTEXT_SWITCH_EVENTS"},
    CountedTable{CountedRows::contextSwitch, "FECS_EVENTS"},
    CountedTable{CountedRows::fileAccess, "OSRT_FILE_ACCESS_EVENTS"},
    CountedTable{CountedRows::diagnostic, "DIAGNOSTIC_EVENT"},
};

} // namespace

void ExportImport::writeRowCounts()
{
    for (const CountedTable& counted : kCountedTables) {
        const std::string_view name = countedRowsName(counted.kind);
        auto& counts = report().rowCounts;
        if (!m_reading.schema.has(counted.table) || (!counts.empty() && counts.back().first == name))
            continue;
        counts.emplace_back(name, m_found.counts[static_cast<size_t>(counted.kind)]);
    }
    if (const uint64_t calls = m_found.counts[static_cast<size_t>(CountedRows::otherCall)]; calls > 0)
        report().rowCounts.emplace_back(countedRowsName(CountedRows::otherCall), calls);
}

bool ExportImport::isRead(std::string_view table) const
{
    const auto& read = m_reading.builder.report().sourceTables;
    return std::ranges::find(read, table) != read.end();
}

// Adds facts from rows that are not shown in any lane but are important to the user.
void ExportImport::addSideFacts(const SqliteDatabase& database)
{
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kFacts{
        {{"MPI_COMMUNICATORS", "MPI communicators"}, {"UCP_WORKERS", "UCX workers"}}};
    for (const auto& [table, name] : kFacts) {
        if (!m_reading.schema.has(table)) continue;
        auto query = database.query("SELECT count(*) FROM " + quotedName(table));
        if (query && query->step().value_or(false)) report().facts.emplace_back(name, query->text(0));
    }
}

void ExportImport::noteUnread(const SqliteDatabase& database)
{
    for (const std::string& name : m_reading.schema.unreadable()) {
        const bool isWanted =
            isSideTable(name) ||
            std::ranges::find(tableReaders(), name, &TableReader::table) != tableReaders().end();
        if (!isWanted) continue; // the object is an unrelated view
        report().notes.add(
            "table.unreadable", NoteSeverity::dataLoss,
            "nsys tables that are views or virtual tables in this file, or whose columns cannot be "
            "listed: rows not shown. Export the report again",
            name);
    }
    if (database.hasChanged()) {
        report().notes.add(
            "file.changed", NoteSeverity::dataLoss,
            "another program wrote to the database while it was being read: rows may be missing or "
            "inconsistent. Open the file again after that program has finished",
            m_reading.file.filename().string());
    }
    for (const auto& [table, columns] : m_reading.schema.tables()) {
        if (isRead(table) || isSideTable(table)) continue;
        auto query = database.query("SELECT count(*) FROM " + quotedName(table));
        if (!query || !query->step().value_or(false) || query->integer(0) == 0) continue;
        report().notes.add("table.not_shown", NoteSeverity::warning,
                           "rows of tables that this version of Lockstep does not draw", table,
                           static_cast<uint64_t>(query->integer(0)));
    }
}

} // namespace lockstep
