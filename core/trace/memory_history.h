// SPDX-License-Identifier: Apache-2.0
// MemoryHistory collects allocations and frees, in any order, from a file that is not an allocator snapshot,
// and turns them into the MemorySnapshot that all memory views use. Created by a reader for one report that
// is frozen and not yet shared; one thread.
#pragma once

#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "core/base/progress.h"
#include "core/trace/report.h"

namespace lockstep {

// One event of one subject at one time.
struct MemoryRow {
    int64_t time_ns = 0; // report clock
    uint64_t order = 0;  // sort key for rows with equal timestamps
    uint64_t address = 0;
    uint64_t size_bytes = 0;
    // alloc; freeCompleted (size 0 if unknown); other: only totals
    MemoryAction action = MemoryAction::other;
    int64_t recorded_bytes = kNotRecorded; // total of allocated bytes after the event
    int64_t reserved_bytes = kNotRecorded; // total of reserved bytes after the event
    uint64_t stream = 0;
    uint32_t subject = 0; // index returned by MemoryHistory::subject()
    MemoryStackId stack;
};

class MemoryHistory {
  public:
    explicit MemoryHistory(Report& report);

    // Finds or adds a subject. If there are more than kMaxSubjects subjects, the rows of additional subjects
    // are counted and omitted.
    static constexpr size_t kMaxSubjects = 512;
    uint32_t subject(const MemorySubject& subject);
    // Finds or adds a frame. Kineto names of Python frames, "file.py(12): function", are split into file,
    // line and function.
    MemoryFrameId frame(StringId name);
    // Finds or adds a stack; `frames` are innermost first. Returns an invalid ID if there are no frames.
    MemoryStackId stack(const std::vector<MemoryFrameId>& frames);
    void add(const MemoryRow& row);
    bool isEmpty() const { return m_rows.empty(); }

    // Moves everything into the report, which must not have memory yet; does nothing if there are no rows.
    // Negative totals are ignored and reported in a note. The history is empty afterwards. The only possible
    // error is ErrorKind::canceled. O(n log n).
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
    std::vector<int32_t> m_numbers; // device number of each subject
    std::vector<MemoryRow> m_rows;
    std::map<StringId, MemoryFrameId> m_frames;
    std::unordered_map<std::vector<MemoryFrameId>, MemoryStackId, StackHash> m_stacks;
    bool m_hasTotals = false, m_hasReserved = false;
};

} // namespace lockstep
