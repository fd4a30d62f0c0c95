// SPDX-License-Identifier: Apache-2.0
// The memory analyses that show amounts over time: memory_summary and memory_timeline.
#include "core/analysis/registry.h"

#include <array>
#include <cmath>

#include "core/analysis/duration_statistics.h"
#include "core/analysis/memory_tables/memory_selection.h"
#include "core/memory/allocator_state.h"
#include "core/memory/memory_layout.h"

namespace lockstep {

namespace {

constexpr std::string_view kMemorySummaryTitle = "GPU memory by device";

struct MemorySummaryColumns {
    explicit MemorySummaryColumns(Table& table)
    {
        const auto bytes = [&](const char* name, const char* doc) {
            return table.addColumn({name, "B", ColumnType::bytes, 0, doc});
        };
        const auto count = [&](const char* name, const char* doc) {
            return table.addColumn({name, "", ColumnType::integer, 0, doc});
        };
        entries = count("entries", "entries of the recorded history in scope");
        peakActive = bytes("peak_active", "peak of active memory: allocated, or freed and waiting for a "
                                          "stream");
        peakAllocated = bytes("peak_allocated", "peak of allocated memory");
        peakRequested = bytes("peak_requested", "peak of requested memory");
        peakReserved = bytes("peak_reserved", "peak of memory reserved by the allocator");
        peakTime = table.addColumn({"peak_time", "ns", ColumnType::time, 0,
                                    "time of peak_active, aligned axis; empty if the snapshot has no "
                                    "times",
                                    ColumnMeaning::alignedTime});
        meanAllocated = bytes("mean_allocated", "mean allocated memory over the history entries");
        meanReserved = bytes("mean_reserved", "mean reserved memory over the history entries");
        efficiency = table.addColumn(
            {"memory_efficiency", "%", ColumnType::percent, 1, "mean_allocated as a share of mean_reserved"});
        endActive = bytes("end_active", "active memory at the end of the history, or of the time range");
        endAllocated =
            bytes("end_allocated", "allocated memory at the end of the history, or of the time range");
        endReserved =
            bytes("end_reserved", "reserved memory at the end of the history, or of the time range");
        unused = bytes("peak_unused", "memory that is reserved but not active at the time of peak_active");
        largestGap = bytes("peak_largest_gap", "largest free chunk at the time of peak_active");
        before = count("blocks_before", "blocks allocated before recording began");
        failedAllocations = count("out_of_memory", "failed allocations");
        cause = table.addColumn(
            {"out_of_memory_cause", "", ColumnType::text, 0, "cause of the first failed allocation"});
    }

    size_t entries, peakActive, peakAllocated, peakRequested, peakReserved, peakTime, meanAllocated,
        meanReserved, efficiency, endActive, endAllocated, endReserved, unused, largestGap, before,
        failedAllocations, cause;
};

// Sums over the history entries in scope. There may be up to 2^31 levels, each below 2^62.
struct LevelSums {
    MemoryPeaks peaks;
    __int128 allocated = 0, reserved = 0;
    int64_t moments = 0;
};

LevelSums sumsOf(const MemoryPart& part)
{
    LevelSums out;
    part.device->forEachMoment(part.first, part.last, [&](MemoryMoment moment, const MemoryLevels& levels) {
        const MemoryPeak here{moment, levels};
        MemoryPeaks& peaks = out.peaks;
        if (out.moments == 0) peaks = {here, here, here, here};
        if (levels.active > peaks.active.levels.active) peaks.active = here;
        if (levels.allocated > peaks.allocated.levels.allocated) peaks.allocated = here;
        if (levels.requested > peaks.requested.levels.requested) peaks.requested = here;
        if (levels.reserved > peaks.reserved.levels.reserved) peaks.reserved = here;
        out.allocated += levels.allocated;
        out.reserved += levels.reserved;
        ++out.moments;
    });
    return out;
}

class MemorySummaryRows {
  public:
    MemorySummaryRows(const AnalysisRequest& request, MemorySelection& selection, Table& table)
        : m_request(request), m_selection(selection), m_table(table), m_columns(table)
    {
    }

    void add(const MemoryPart& part)
    {
        const LevelSums sums = sumsOf(part);
        m_selection.addRow(part);
        const auto set = [&](size_t column, int64_t number) { m_table.setNumber(column, number); };
        set(m_columns.entries, part.last - part.first);
        set(m_columns.peakActive, sums.peaks.active.levels.active);
        set(m_columns.peakAllocated, sums.peaks.allocated.levels.allocated);
        if (part.recording().hasRequested)
            set(m_columns.peakRequested, sums.peaks.requested.levels.requested);
        if (const auto time_ns = part.alignedTime(m_request.alignment, sums.peaks.active.moment))
            set(m_columns.peakTime, *time_ns);
        set(m_columns.meanAllocated, roundedQuotient(sums.allocated, sums.moments));
        const MemoryLevels end = part.device->levelsAt(part.last);
        set(m_columns.endActive, end.active);
        set(m_columns.endAllocated, end.allocated);
        if (part.device->segments.isKnown) addReserved(part, sums, end);
        int64_t before = 0;
        while (static_cast<size_t>(before) < part.device->blocks.size() &&
               part.device->blocks.isPreexisting(static_cast<size_t>(before)))
            ++before;
        set(m_columns.before, before);
        addFailures(part);
    }

  private:
    // Adds the reserved memory; does nothing for files that do not record it.
    void addReserved(const MemoryPart& part, const LevelSums& sums, const MemoryLevels& end)
    {
        const auto set = [&](size_t column, int64_t number) { m_table.setNumber(column, number); };
        set(m_columns.peakReserved, sums.peaks.reserved.levels.reserved);
        set(m_columns.meanReserved, roundedQuotient(sums.reserved, sums.moments));
        const double used = sums.reserved > 0
                                ? static_cast<double>(sums.allocated) / static_cast<double>(sums.reserved)
                                : 0; // thresholds from the NeMo RL guide
        set(m_columns.efficiency, std::llround(used * 1000));
        set(m_columns.endReserved, end.reserved);
        if (const int64_t unused = sums.peaks.active.levels.unused(); unused >= 0) {
            set(m_columns.unused, unused);
        } else {
            m_table.source.rules.push_back(
                "peak_unused is empty if more memory was active than reserved: segments were "
                "released without an entry in the history");
        }
        if (!part.recording().hasSegments) return;
        const Fragmentation pool = fragmentationOf(stateAt(*part.device, sums.peaks.active.moment));
        set(m_columns.largestGap, static_cast<int64_t>(pool.largestGap_bytes));
    }

    void addFailures(const MemoryPart& part)
    {
        int64_t failures = 0;
        for (MemoryMoment moment = part.first; moment < part.last; ++moment) {
            const uint32_t row = part.device->rows[moment];
            failures += part.report->memory->entries.action[row] == MemoryAction::outOfMemory;
        }
        m_table.setNumber(m_columns.failedAllocations, failures);
        if (failures == 0) return;
        for (const OutOfMemoryCause& cause : outOfMemoryCauses(*part.replay, *part.device, part.first, 1)) {
            m_table.setText(m_columns.cause,
                            outOfMemoryText(cause, *part.report->memory, part.report->strings));
        }
    }

    const AnalysisRequest& m_request;
    MemorySelection& m_selection;
    Table& m_table;
    const MemorySummaryColumns m_columns;
};

Result<Table> memorySummaryTable(const AnalysisRequest& request, const Progress& progress)
{
    Table table{std::string(request.what), std::string(kMemorySummaryTitle)};
    MemorySelection selection(request, table, false);
    MemorySummaryRows rows(request, selection, table);
    LOCKSTEP_TRY(selection.forEach(progress, [&](const MemoryPart& part) -> Status {
        rows.add(part);
        return {};
    }));
    selection.describe("devices of memory snapshots");
    return table;
}

} // namespace

// The `memory_summary` analysis: peak, mean and final memory levels for each device in each memory snapshot,
// the efficiency of reserved memory, and the reasons for failed allocations.
Analysis memorySummaryAnalysis()
{
    return {"memory_summary", kMemorySummaryTitle, "memory snapshots", {}, memorySummaryTable};
}

namespace {

constexpr std::string_view kMemoryTimelineTitle = "GPU memory over time";
constexpr std::array<AnalysisArgument, 1> kMemoryTimelineArguments{
    {{"entries", "one row per history entry, instead of 1000 rows"}}};
constexpr size_t kTimelineRows = 1000; // number of points per device

class MemoryTimelineRows {
  public:
    MemoryTimelineRows(const AnalysisRequest& request, MemorySelection& selection, Table& table)
        : m_request(request), m_selection(selection), m_table(table)
    {
        const auto bytes = [&](const char* name, const char* doc) {
            return table.addColumn({name, "B", ColumnType::bytes, 0, doc});
        };
        m_time = table.addColumn({"time", "ns", ColumnType::time, 0,
                                  "time of the entry, aligned axis; empty if the snapshot has no timestamps",
                                  ColumnMeaning::alignedTime});
        m_entry =
            table.addColumn({"entry", "", ColumnType::integer, 0,
                             "number of history entries of the device up to this point; 0 is before the "
                             "first"});
        m_active = bytes("active", "allocated, or freed and waiting for a stream");
        m_allocated = bytes("allocated", "allocated");
        m_requested = bytes("requested", "requested bytes of the active blocks");
        m_reserved = bytes("reserved", "reserved by the allocator");
    }

    void add(const MemoryPart& part)
    {
        const size_t moments = size_t(part.last) - part.first + 1;
        if (m_request.arguments.flag("entries") || moments <= kTimelineRows) {
            part.device->forEachMoment(
                part.first, part.last,
                [&](MemoryMoment moment, const MemoryLevels& levels) { addRow(part, moment, levels); });
            return;
        }
        for (const MemoryColumn& column : columnsOfMoments(part.first, part.last, kTimelineRows)) {
            const MemoryPeak peak = part.device->activePeakIn(column.first, column.last);
            addRow(part, peak.moment, peak.levels);
        }
    }

  private:
    void addRow(const MemoryPart& part, MemoryMoment moment, const MemoryLevels& levels)
    {
        m_selection.addRow(part);
        if (const auto time_ns = part.alignedTime(m_request.alignment, moment))
            m_table.setNumber(m_time, *time_ns);
        m_table.setNumber(m_entry, moment);
        m_table.setNumber(m_active, levels.active);
        m_table.setNumber(m_allocated, levels.allocated);
        if (part.recording().hasRequested) m_table.setNumber(m_requested, levels.requested);
        if (part.device->segments.isKnown) m_table.setNumber(m_reserved, levels.reserved);
    }

    const AnalysisRequest& m_request;
    MemorySelection& m_selection;
    Table& m_table;
    size_t m_time, m_entry, m_active, m_allocated, m_requested, m_reserved;
};

Result<Table> memoryTimelineTable(const AnalysisRequest& request, const Progress& progress)
{
    Table table{std::string(request.what), std::string(kMemoryTimelineTitle)};
    MemorySelection selection(request, table, false);
    MemoryTimelineRows rows(request, selection, table);
    LOCKSTEP_TRY(selection.forEach(progress, [&](const MemoryPart& part) -> Status {
        rows.add(part);
        return progress.check();
    }));
    selection.describe("points in the histories of memory snapshots");
    if (!request.arguments.flag("entries")) {
        table.source.rules.push_back(
            "histories of more than 1000 points are split into 1000 equal intervals; each "
            "interval shows its first point with the most active memory");
    }
    return table;
}

} // namespace

// The `memory_timeline` analysis: active, allocated, requested and reserved memory over time for each device
// in each memory snapshot, either as 1000 points that preserve every peak, or with one row per history entry.
Analysis memoryTimelineAnalysis()
{
    return {"memory_timeline", kMemoryTimelineTitle, "memory snapshots", kMemoryTimelineArguments,
            memoryTimelineTable};
}

} // namespace lockstep
