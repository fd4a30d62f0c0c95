// SPDX-License-Identifier: Apache-2.0
// MemorySelection: replays the devices in the memory snapshots in scope one after another, and provides the
// columns that identify the report and device of a row. Shared by the memory_* tables; each table creates its
// own.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/analysis.h"
#include "core/memory/allocator_replay.h"
#include "core/memory/memory_category.h"

namespace lockstep {

// One device in one snapshot, and its history entries within the scope's time range. Valid only during the
// visit, unless the selection keeps the object.
struct MemoryPart {
    ReportKey key;
    GroupKey group;
    std::shared_ptr<const Report> report;
    std::shared_ptr<const AllocatorReplay> replay;
    const DeviceReplay* device = nullptr;
    MemoryMoment first = 0, last = 0;

    MemorySubject subject() const { return report->memory->subjectOf(device->device); }
    const MemoryRecording& recording() const { return report->memory->recording(device->device); }
    // Returns a time on the aligned axis; nullopt if the snapshot has no times.
    std::optional<int64_t> alignedTime(const Alignment& alignment, MemoryMoment moment) const;
};

class MemorySelection {
  public:
    // Adds the leading columns. filtersStacks: true if each row is a stack, because the name filter then
    // applies.
    MemorySelection(const AnalysisRequest& request, Table& table, bool filtersStacks);

    // Calls visit(part) for each device, by group, report and device. Snapshots are replayed one at a time.
    // describe() later reports the replay's notes and the filters that do not apply.
    Status forEach(const Progress& progress, const std::function<Status(const MemoryPart&)>& visit);

    // Adds a row and fills its leading cells.
    void addRow(const MemoryPart& part);
    // Returns the display string for a stack: its three innermost frames.
    static std::string stackName(const MemoryPart& part, MemoryStackId stack);
    // Returns whether a stack passes the scope's name filter, which is applied to all frames.
    bool isInScope(const MemoryPart& part, MemoryStackId stack) const;
    // Sets the table's source: the meaning of its rows, its rules and its notes.
    void describe(std::string rows);

  private:
    const AnalysisRequest& m_request;
    Table& m_table;
    std::optional<size_t> m_report, m_rank;
    std::optional<size_t> m_memory, m_recorder; // set only if a recorder other than the allocator is involved
    size_t m_device = 0;
    ImportNotes m_notes;
    size_t m_parts = 0, m_untimed = 0;
    bool m_filtersStacks;
};

inline constexpr const char* kStackDoc =
    "allocation stack: the three innermost frames, from Python if it has any";

} // namespace lockstep
