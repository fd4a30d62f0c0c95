// SPDX-License-Identifier: Apache-2.0
// MemorySelection: the devices of the memory snapshots in scope, replayed one after another, and the columns
// that say of which report and device a row is. What the tables memory_* have in common; one per table.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/analysis.h"
#include "core/memory/allocator_replay.h"
#include "core/memory/memory_category.h"

namespace lockstep {

// One device of one snapshot, and the moments of it that are in the scope's time range. Valid while it is
// visited, unless the selection is told to keep it.
struct MemoryPart {
    ReportKey key;
    GroupKey group;
    std::shared_ptr<const Report> report;
    std::shared_ptr<const AllocatorReplay> replay;
    const DeviceReplay* device = nullptr;
    MemoryMoment first = 0, last = 0;

    MemorySubject subject() const { return report->memory->subjectOf(device->device); }
    const MemoryRecording& recording() const { return report->memory->recording(device->device); }
    // On the aligned axis; empty where the snapshot has no times.
    std::optional<int64_t> alignedTime(const Alignment& alignment, MemoryMoment moment) const;
};

class MemorySelection {
  public:
    // Adds the leading columns. filtersStacks: rows are stacks, which a filter of names applies to.
    MemorySelection(const AnalysisRequest& request, Table& table, bool filtersStacks);

    // Calls visit(part) for each, by group, report and device. Snapshots are replayed one at a time. What a
    // replay notes, and what filters cannot do, is told by describe().
    Status forEach(const Progress& progress, const std::function<Status(const MemoryPart&)>& visit);

    // Adds a row with its leading cells.
    void addRow(const MemoryPart& part);
    // How a stack is named in a row: its three innermost frames.
    static std::string stackName(const MemoryPart& part, MemoryStackId stack);
    // Whether the scope's filter of names lets a stack through: it is looked for in all of its frames.
    bool isInScope(const MemoryPart& part, MemoryStackId stack) const;
    // The source of the table: what rows are, and the rules and notes.
    void describe(std::string rows);

  private:
    const AnalysisRequest& m_request;
    Table& m_table;
    std::optional<size_t> m_report, m_rank;
    std::optional<size_t> m_memory, m_recorder; // where others than the allocator recorded any
    size_t m_device = 0;
    ImportNotes m_notes;
    size_t m_parts = 0, m_untimed = 0;
    bool m_filtersStacks;
};

inline constexpr const char* kStackDoc =
    "of what allocated: the three innermost frames, of Python where it has any";

} // namespace lockstep
