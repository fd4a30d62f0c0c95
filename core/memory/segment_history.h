// SPDX-License-Identifier: Apache-2.0
// SegmentHistory: which ranges of device memory the allocator held when: cudaMalloc'ed segments and mapped
// pages of expandable ones, from the history's segment entries and the segments of the dump. Made by the
// replay of one device, kept in it; read by whatever asks for reserved bytes, gaps and segments at a moment.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "core/memory/memory_moment.h"
#include "core/memory/replay_watch.h"
#include "core/trace/import_notes.h"
#include "core/trace/memory_snapshot_table.h"

namespace lockstep {

// One range from the moment it was reserved to the moment it was given back. Unmapping a part of a range ends
// it, and what stays mapped goes on as ranges of their own.
struct SegmentLife {
    uint64_t address = 0;
    uint64_t size_bytes = 0;
    MemoryMoment born = 0;              // 0: held before the history begins
    MemoryMoment freed = kNeverFreed;   // kNeverFreed: held when it ends
    uint32_t dumpSegment = 0xFFFFFFFFu; // row of MemorySnapshot::segments that holds it, or what is left of
                                        // it, at the dump; else none
    MemoryStackId stack;                // of what reserved it; invalid before the history
    uint64_t stream = 0;
    bool isExpandable = false;

    uint64_t end() const { return address + size_bytes; }
    bool isHeldAt(MemoryMoment moment) const { return born <= moment && moment < freed; }
    friend bool operator==(const SegmentLife&, const SegmentLife&) = default;
};

struct SegmentHistory {
    std::vector<SegmentLife> lives; // in the order they were found
    // Reserved bytes from a moment on, until the next one: the first is moment 0. Rising, one a change.
    std::vector<std::pair<MemoryMoment, int64_t>> reserved_bytes;

    bool isStated = false; // of no segments: what each entry states to be reserved
    bool isKnown = true;   // false: nothing says what is reserved, and levels of it are 0

    int64_t reservedAt(MemoryMoment moment) const; // O(log changes)
    size_t residentBytes() const;
};

// rows are the device's rows of snapshot.entries, oldest first. Ranges that the history frees without having
// reserved them, and ranges of the dump that it never reserved, were held before it. Entries that cannot be
// (a size of 0 or beyond any device, a free of what is not held, memory reserved twice) count in notes and
// change nothing they should not. Of what is no allocator's snapshot no segment is known: reserved bytes are
// those that entries state, before the first as after it. O(n log n).
SegmentHistory segmentHistory(const MemorySnapshot& snapshot, int32_t device, std::span<const uint32_t> rows,
                              ImportNotes& notes, ReplayWatch& watch);

// The segments that are held, as the history goes on. The history must outlive it and not change. One thread.
class HeldSegments {
  public:
    explicit HeldSegments(const SegmentHistory& history);

    // moment not below the last one. O(log held) for each change in between.
    void goTo(MemoryMoment moment);
    // Row of SegmentHistory::lives that holds an address; empty: none does.
    std::optional<uint32_t> rowAt(uint64_t address) const;
    // The same as a life, nullptr where none does.
    const SegmentLife* at(uint64_t address) const;

  private:
    const std::vector<SegmentLife>& m_lives;
    std::vector<uint32_t> m_births, m_deaths; // lives by moment
    size_t m_born = 0, m_died = 0;
    std::map<uint64_t, uint32_t> m_held;
};

} // namespace lockstep
