// SPDX-License-Identifier: Apache-2.0
#include "core/readers/nsys_sqlite/table_scan.h"

#include <array>

#include "core/base/text.h"
#include "core/readers/nsys_sqlite/global_id.h"
#include "core/readers/nsys_sqlite/small_table.h"

namespace lockstep {

ProcessId TrackLookup::process(uint64_t globalId)
{
    return m_builder.process(processKeyOf(globalId), pidOf(globalId));
}

ThreadId TrackLookup::thread(uint64_t globalTid)
{
    return m_builder.thread(process(globalTid), tidOf(globalTid));
}

TrackId TrackLookup::make(const RawKey& key, std::string_view name)
{
    TrackKey track;
    track.kind = key.kind;
    const bool isOfMachine = key.kind == TrackKind::other && key.owner == 0;
    if (!isOfMachine) track.process = process(key.owner);
    if (key.isGpu) {
        track.device = m_builder.device(track.process, static_cast<int>(key.device));
        track.context = key.context;
    } else if (!isOfMachine) {
        track.thread = m_builder.thread(track.process, tidOf(key.owner));
    }
    track.lane = key.lane;
    const TrackId id = m_builder.track(track);
    if (!name.empty()) m_builder.setTrackName(id, m_builder.intern(name));
    return id;
}

std::string_view countedRowsName(CountedRows kind)
{
    static constexpr std::array<std::string_view, static_cast<size_t>(CountedRows::count)> kNames{
        "kernel",      "memcpy",         "memset",         "graph_launch", "synchronization", "cuda_event",
        "runtime_api", "driver_api",     "other_api",      "nvtx_pushpop", "nvtx_startend",   "nvtx_mark",
        "nvtx_other",  "os_runtime",     "scheduling",     "sample",       "overhead",        "memory_usage",
        "gpu_metric",  "generic_event",  "network_metric", "graph_event",  "library_api",     "page_fault",
        "memory_pool", "context_switch", "file_access",    "other_call",   "diagnostic"};
    return kNames[static_cast<size_t>(kind)];
}

TableScan::TableScan(const ExportReading& reading, const TableReader& reader, uint8_t table, RowCursor&& rows)
    : m_reading(reading), m_reader(reader), m_table(table), m_cursor(std::move(rows)),
      m_tracks(reading.builder), m_factNumbers(reading.builder.factSets())
{
}

bool TableScan::checkProgress()
{
    constexpr uint64_t kStride = 4096;
    const uint64_t done =
        m_rows == 0 ? m_reading.rowsDone.load() : m_reading.rowsDone.fetch_add(kStride) + kStride;
    m_reading.progress.report(std::min(done, m_reading.rowsTotal), m_reading.rowsTotal);
    return !m_reading.progress.isCanceled();
}

void TableScan::noteDamage(const Result<bool>& last)
{
    const std::string after = std::string(m_reader.table) + " after " + std::to_string(m_rows) + " rows";
    if (!last)
        m_result.notes.add("table.cut_short", NoteSeverity::dataLoss, kTableDamage,
                           after + ": " + last.error().message);
    if (m_cursor.badPages() > 0) {
        m_result.notes.add("table.cut_short", NoteSeverity::dataLoss, kTableDamage,
                           std::string(m_reader.table) + ": missing or damaged pages", m_cursor.badPages());
    }
}

StringId TableScan::internedText(int column)
{
    const std::string_view stored = storedText(column);
    if (isValidUtf8(stored)) return m_reading.builder.intern(stored);
    return m_reading.builder.intern(shownText(stored, m_result.notes, m_reader.table, rowId()));
}

uint32_t TableScan::correlation(int column) const
{
    const int64_t value = integer(column);
    return value > 0 && value < kNoCorrelation ? static_cast<uint32_t>(value) : kNoCorrelation;
}

std::string TableScan::place() const
{
    return std::string(m_reader.table) + " row " + std::to_string(rowId());
}

bool TableScan::addSlice(TrackId track, SliceRow row, std::optional<int64_t> start_ns,
                         std::optional<int64_t> end_ns)
{
    int64_t duration_ns = 0;
    if (!start_ns || !end_ns || __builtin_sub_overflow(*end_ns, *start_ns, &duration_ns) ||
        !isPlausible(*start_ns, duration_ns)) {
        note(std::string(rowKindName(row.kind)) + ".bad_time", NoteSeverity::dataLoss,
             "rows without a start or an end, or that end before they start: not shown");
        return false;
    }
    row.start_ns = *start_ns;
    row.duration_ns = duration_ns;
    m_result.findings.latestEnd_ns = std::max(m_result.findings.latestEnd_ns, *end_ns);
    m_result.batch.add(track, row);
    return true;
}

void TableScan::addOpen(TrackId track, SliceRow row, int64_t start_ns)
{
    if (!isPlausible(start_ns, 0)) {
        addSlice(track, row, std::nullopt, std::nullopt);
        return;
    }
    row.start_ns = start_ns;
    row.flags = static_cast<uint8_t>(row.flags | sliceFlag::kOpenEnd);
    m_result.findings.latestEnd_ns = std::max(m_result.findings.latestEnd_ns, start_ns);
    m_result.findings.open.push_back({track, row});
}

bool TableScan::addInstant(TrackId track, SliceRow row, std::optional<int64_t> time_ns)
{
    row.flags = static_cast<uint8_t>(row.flags | sliceFlag::kInstant);
    return addSlice(track, row, time_ns, time_ns);
}

StringId TableScan::missingName(int column)
{
    const int64_t id = integer(column);
    if (isNull(column) || id <= 0) return StringId(0u);
    note("name.missing", NoteSeverity::dataLoss,
         "names missing from the StringIds table: the ID is shown instead");
    return m_reading.builder.intern("[name " + std::to_string(id) + " missing]");
}

void TableScan::note(std::string_view kind, NoteSeverity severity, std::string_view text)
{
    m_result.notes.add(kind, severity, text, place());
}

} // namespace lockstep
