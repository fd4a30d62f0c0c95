// SPDX-License-Identifier: Apache-2.0
// MemoryLevelHistory: files that say how much memory each group (a category, a component)
// holds over time, but no allocation, become pieces that come and go so that the sums are theirs at each of
// the file's moments. Made by a reader for one report; one thread.
#pragma once

#include <map>
#include <vector>

#include "core/trace/memory_history.h"

namespace lockstep {

class MemoryLevelHistory {
  public:
    // Rows go into `history`, which must outlive this.
    MemoryLevelHistory(MemoryHistory& history, Report& report) : m_history(history), m_report(report) {}

    // A group of a subject, its name the only frame of its pieces' stack.
    size_t group(uint32_t subject, StringId name);
    // From this moment on the group holds so much more, or less. Moments must not fall. A level that would
    // fall below zero is noted and stays at zero. O(log pieces).
    void change(size_t group, int64_t time_ns, int64_t change_bytes);
    // The same by the level that it comes to.
    void set(size_t group, int64_t time_ns, int64_t level_bytes);
    // What the next change of the group's subject states to be reserved.
    void setReserved(size_t group, int64_t reserved_bytes)
    {
        m_groups[group].reserved_bytes = reserved_bytes;
    }

  private:
    struct Group {
        uint32_t subject = 0;
        MemoryStackId stack;
        int64_t level_bytes = 0;
        int64_t reserved_bytes = kNotStated;
        std::multimap<uint64_t, uint64_t> pieces; // size -> address
    };

    void addPiece(Group& group, int64_t time_ns, uint64_t size_bytes);
    void takePiece(Group& group, int64_t time_ns, std::multimap<uint64_t, uint64_t>::iterator piece);
    void addRow(const Group& group, int64_t time_ns, MemoryAction action, uint64_t address, uint64_t size);

    MemoryHistory& m_history;
    Report& m_report;
    std::vector<Group> m_groups;
    uint64_t m_next = 1; // address; no two pieces ever have the same
    uint64_t m_order = 0;
};

} // namespace lockstep
