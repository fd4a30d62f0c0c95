// SPDX-License-Identifier: Apache-2.0
// MemoryLevelHistory creates artificial blocks for files that record the memory of each group (a category, a
// component) over time, but do not record allocations. The sums of the blocks match the recorded totals at
// each time. Created by a reader for one report; one thread.
#pragma once

#include <map>
#include <vector>

#include "core/trace/memory_history.h"

namespace lockstep {

class MemoryLevelHistory {
  public:
    // `history` receives the rows and must outlive this object.
    MemoryLevelHistory(MemoryHistory& history, Report& report) : m_history(history), m_report(report) {}

    // Adds a group to a subject. The name of the group is the only stack frame of its blocks.
    size_t group(uint32_t subject, StringId name);
    // Changes the total of a group from this time on. Times must not decrease. A total that would become
    // negative stays at zero, and a note reports this. O(log blocks).
    void change(size_t group, int64_t time_ns, int64_t change_bytes);
    // Sets the total of a group from this time on.
    void set(size_t group, int64_t time_ns, int64_t level_bytes);
    // Sets the reserved bytes that the next change of the group's subject records.
    void setReserved(size_t group, int64_t reserved_bytes)
    {
        m_groups[group].reserved_bytes = reserved_bytes;
    }

  private:
    struct Group {
        uint32_t subject = 0;
        MemoryStackId stack;
        int64_t level_bytes = 0;
        int64_t reserved_bytes = kNotRecorded;
        std::multimap<uint64_t, uint64_t> blocks; // size -> address
    };

    void addBlock(Group& group, int64_t time_ns, uint64_t size_bytes);
    void removeBlock(Group& group, int64_t time_ns, std::multimap<uint64_t, uint64_t>::iterator block);
    void addRow(const Group& group, int64_t time_ns, MemoryAction action, uint64_t address, uint64_t size);

    MemoryHistory& m_history;
    Report& m_report;
    std::vector<Group> m_groups;
    uint64_t m_next = 1; // address of the next block; addresses are never reused
    uint64_t m_order = 0;
};

} // namespace lockstep
