// SPDX-License-Identifier: Apache-2.0
// MemoryHistory: the allocations and frees that a reader met in a file that is no allocator snapshot, in any
// order, on their way to the MemorySnapshot that all views of memory go by. Made by a reader for one report
// that is frozen and not shared yet; one thread.
#pragma once

#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "core/base/progress.h"
#include "core/trace/report.h"

namespace lockstep {

// What a file says at one moment of one subject.
struct MemoryRow {
    int64_t time_ns = 0; // report clock
    uint64_t order = 0;  // of rows with one stamp: as they happened
    uint64_t address = 0;
    uint64_t size_bytes = 0;
    // alloc; freeCompleted, of size 0 where that is not said; other: totals alone
    MemoryAction action = MemoryAction::other;
    int64_t stated_bytes = kNotStated;   // allocated in all, after it
    int64_t reserved_bytes = kNotStated; // reserved in all
    uint64_t stream = 0;
    uint32_t subject = 0; // MemoryHistory::subject()
    MemoryStackId stack;
};

class MemoryHistory {
  public:
    explicit MemoryHistory(Report& report);

    // Find-or-add. No machine has more than kMostSubjects: rows of those beyond are counted and left out.
    static constexpr size_t kMostSubjects = 512;
    uint32_t subject(const MemorySubject& subject);
    // Find-or-add. A name as Kineto writes those of Python, "file.py(12): function", becomes all three.
    MemoryFrameId frame(StringId name);
    // Find-or-add; frames innermost first. Invalid for none.
    MemoryStackId stack(const std::vector<MemoryFrameId>& frames);
    void add(const MemoryRow& row);
    bool isEmpty() const { return m_rows.empty(); }

    // Puts everything into the report, which had no memory before; nothing for no rows. Totals below zero are
    // noted and not taken. The history is empty afterwards. canceled is the only error. O(n log n).
    Status finish(const Progress& progress);

  private:
    struct StackHash {
        size_t operator()(const std::vector<MemoryFrameId>& frames) const noexcept;
    };

    void numberSubjects();
    int32_t freeNumber(int32_t number) const;
    void addEntry(const MemoryRow& row);
    int64_t checkedTotal(int64_t total_bytes);

    Report& m_report;
    std::shared_ptr<MemorySnapshot> m_out;
    std::vector<MemorySubject> m_subjects;
    std::vector<int32_t> m_numbers; // by subject: its device number
    std::vector<MemoryRow> m_rows;
    std::map<StringId, MemoryFrameId> m_frames;
    std::unordered_map<std::vector<MemoryFrameId>, MemoryStackId, StackHash> m_stacks;
    bool m_statesTotals = false, m_statesReserved = false;
};

} // namespace lockstep
