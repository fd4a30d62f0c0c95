// SPDX-License-Identifier: Apache-2.0
// SegmentHistory records which ranges of device memory the allocator reserved and when: cudaMalloc'ed
// segments and the mapped pages of expandable ones, from the history's segment entries and the dump's
// segments. Part of a device's replay. Used to find the reserved bytes, gaps and segments at any moment.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "core/memory/block_life.h"
#include "core/memory/replay_watch.h"
#include "core/trace/import_notes.h"
#include "core/trace/memory_snapshot_table.h"

namespace lockstep {

// SegmentLife is one range from its reservation to its release. If part of a range is unmapped, its life
// ends; the parts that remain mapped continue as new lives.
struct SegmentLife {
    uint64_t address = 0;
    uint64_t size_bytes = 0;
    MemoryMoment reserved = 0;          // 0: reserved before the recording
    MemoryMoment freed = kNeverFreed;   // kNeverFreed: still reserved at the end
    uint32_t dumpSegment = 0xFFFFFFFFu; // row of the dump's segment that contains this range, if any
    MemoryStackId stack;                // reserving stack; invalid if reserved before the recording
    uint64_t stream = 0;
    bool isExpandable = false;

    uint64_t end() const { return address + size_bytes; }
    bool isReservedAt(MemoryMoment moment) const { return reserved <= moment && moment < freed; }
    friend bool operator==(const SegmentLife&, const SegmentLife&) = default;
};

struct SegmentHistory {
    std::vector<SegmentLife> lives; // in the order in which they were found
    // Reserved bytes, each valid from its moment until the next one; the first moment is 0. Ascending, one
    // entry per change.
    std::vector<std::pair<MemoryMoment, int64_t>> reserved_bytes;

    bool isFromTotals = false; // true: there are no segments, and reserved bytes are taken from the totals in
                               // the entries
    bool isKnown = true;       // false: reserved memory is not recorded, and its levels are 0

    int64_t reservedAt(MemoryMoment moment) const; // O(log changes)
    size_t residentBytes() const;
};

// Builds the history. rows: the device's rows of snapshot.entries, oldest first. Ranges that the history
// frees without reserving them, and ranges in the dump that it never reserved, count as reserved before the
// recording. Contradictions are counted in notes and otherwise ignored: a size that is 0 or larger than any
// device, a free of unreserved memory, or memory that is reserved twice. Files that are not allocator
// snapshots have no segments. Their reserved bytes are taken from the totals in the entries; for the time
// before the first entry, the first entry's total is used. O(n log n).
SegmentHistory segmentHistory(const MemorySnapshot& snapshot, int32_t device, std::span<const uint32_t> rows,
                              ImportNotes& notes, ReplayWatch& watch);

// ReservedSegments steps through the history and keeps track of the segments reserved at the current moment.
// The history must outlive it and must not change. Thread: one.
class ReservedSegments {
  public:
    explicit ReservedSegments(const SegmentHistory& history);

    // Moves to a moment that is not before the current one. O(log segments) per change in between.
    void goTo(MemoryMoment moment);
    // Returns the row of SegmentHistory::lives whose range contains an address, or nullopt.
    std::optional<uint32_t> rowAt(uint64_t address) const;
    // Returns the range that contains an address, or nullptr.
    const SegmentLife* at(uint64_t address) const;

  private:
    const std::vector<SegmentLife>& m_lives;
    std::vector<uint32_t> m_byReserved, m_byFreed; // indices of m_lives, sorted by time
    size_t m_reservedCount = 0, m_freedCount = 0;
    std::map<uint64_t, uint32_t> m_reserved;
};

} // namespace lockstep
