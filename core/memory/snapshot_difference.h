// SPDX-License-Identifier: Apache-2.0
// Two moments held against each other, of one snapshot or two, of one rank or two: what grew, by stack; and
// how memory is spread over many ranks. Stacks of different files are matched by their texts. Pure functions;
// any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/memory/allocator_replay.h"

namespace lockstep {

// Where to look. What it points to must outlive the call.
struct MemoryView {
    const DeviceReplay& device;
    const MemorySnapshot& snapshot;
    const StringPool& strings;
    MemoryMoment moment = 0;
};

struct StackChange {
    // The stack in either snapshot; invalid in both: blocks without one. A stack that only one has is invalid
    // in the other, with 0 bytes there.
    MemoryStackId before, after;
    int64_t before_bytes = 0, after_bytes = 0; // active
    uint64_t beforeBlocks = 0, afterBlocks = 0;

    int64_t change_bytes() const { return after_bytes - before_bytes; }
    friend bool operator==(const StackChange&, const StackChange&) = default;
};

struct SnapshotDifference {
    MemoryLevels before, after;
    // By the amount of change, the largest first, whichever way; equal ones in the order of `after`, then of
    // `before`. Unchanged stacks are in it. Changes add up to that of active memory.
    std::vector<StackChange> stacks;
};

// lines: whether stacks that differ in line numbers alone are different (another version of a script).
// O(blocks + frames of live stacks).
SnapshotDifference snapshotDifference(const MemoryView& before, const MemoryView& after, bool lines = true);

// One rank's part of a comparison of many.
struct RankMemory {
    size_t view = 0;     // position in what was given
    MemoryPeaks peaks;   // of its history
    double overMean = 0; // its peak of active memory over the mean of all, less 1
};

struct MemoryImbalance {
    std::vector<RankMemory> ranks; // by peak of active memory, the highest first, then by position
    int64_t mean_bytes = 0;        // of the peaks, rounded down
    int64_t spread_bytes = 0;      // highest less lowest
    double overMean = 0;           // highest over mean, less 1: 0 = balanced
};
MemoryImbalance memoryImbalance(std::span<const MemoryView> views);

} // namespace lockstep
