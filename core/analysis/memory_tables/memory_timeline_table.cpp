// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/memory_tables/memory_timeline_table.h"

#include <array>

#include "core/analysis/memory_tables/memory_selection.h"
#include "core/memory/memory_layout.h"

namespace lockstep {

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
        m_time =
            table.addColumn({"time", "ns", ColumnType::time, 0,
                             "time of the entry, aligned axis; empty if the snapshot has no timestamps"});
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

Analysis memoryTimelineAnalysis()
{
    return {"memory_timeline", kMemoryTimelineTitle, "memory snapshots", kMemoryTimelineArguments,
            memoryTimelineTable};
}

} // namespace lockstep
