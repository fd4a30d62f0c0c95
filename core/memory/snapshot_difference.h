// SPDX-License-Identifier: Apache-2.0
// Compares two moments and returns the memory growth by stack. The moments may be in different snapshots and
// on different ranks. Also compares how evenly memory is distributed over many ranks. Stacks from different
// files are equal if their frames have the same names. Pure functions. Thread: any.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/memory/allocator_replay.h"

namespace lockstep {

// MemoryView is one device at one moment. The objects it points to must outlive the call.
struct MemoryView {
    const DeviceReplay& device;
    const MemorySnapshot& snapshot;
    const StringPool& strings;
    MemoryMoment moment = 0;
};

struct StackChange {
    // The stack in each snapshot. Both are invalid for blocks without a stack. If a stack exists in only one
    // snapshot, its ID in the other snapshot is invalid and its size there is 0.
    MemoryStackId before, after;
    int64_t before_bytes = 0, after_bytes = 0; // active bytes
    uint64_t beforeBlocks = 0, afterBlocks = 0;

    int64_t change_bytes() const { return after_bytes - before_bytes; }
    friend bool operator==(const StackChange&, const StackChange&) = default;
};

struct SnapshotDifference {
    MemoryLevels before, after;
    // Sorted by the absolute change (largest first); ties are in the order of `after`, then of `before`.
    // Includes unchanged stacks. The changes add up to the change in active memory.
    std::vector<StackChange> stacks;
};

// Compares two moments. lines: true if stacks that differ only in line numbers are to be distinguished. If
// false, stacks from different versions of a script can match. O(blocks + frames of live stacks).
SnapshotDifference snapshotDifference(const MemoryView& before, const MemoryView& after, bool lines = true);

// RankMemory is one rank in a comparison of many ranks.
struct RankMemory {
    size_t view = 0;           // index in the input
    MemoryPeaks peaks;         // peaks in the rank's history
    double excessOverMean = 0; // ratio of the rank's active-memory peak to the mean over all ranks, minus 1
};

struct MemoryImbalance {
    std::vector<RankMemory> ranks; // sorted by peak of active memory (highest first), then by index
    int64_t mean_bytes = 0;        // mean of the peaks, rounded down
    int64_t spread_bytes = 0;      // highest peak minus lowest peak
    double excessOverMean = 0;     // ratio of the highest peak to the mean, minus 1; 0 = balanced
};
MemoryImbalance memoryImbalance(std::span<const MemoryView> views);

} // namespace lockstep
