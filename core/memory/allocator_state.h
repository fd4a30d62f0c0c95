// SPDX-License-Identifier: Apache-2.0
// AllocatorState: the segments of a device with the blocks in them at one moment of the history, and what is
// free between them. Made by stateAt() for the scrubber of the allocator's history and for fragmentation;
// a value; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/memory/allocator_replay.h"

namespace lockstep {

// A block in its place. Gaps are what blocks leave.
struct PlacedBlock {
    BlockLifeId life;
    uint64_t address = 0;
    uint64_t size_bytes = 0;
    uint64_t requested_bytes = 0;
    bool isPending = false; // freed by its owner, its streams not done

    friend bool operator==(const PlacedBlock&, const PlacedBlock&) = default;
};

// Mapped ranges of an expandable segment that touch, and are of one stream, are one.
struct PlacedSegment {
    uint64_t address = 0;
    uint64_t size_bytes = 0;
    uint64_t active_bytes = 0;
    uint64_t largestGap_bytes = 0;
    uint32_t gaps = 0;
    uint64_t stream = 0;
    bool isExpandable = false;
    uint32_t dumpSegment = 0xFFFFFFFFu; // row of MemorySnapshot::segments; none: it was gone at the dump
    uint32_t firstBlock = 0;            // its blocks are rows [firstBlock, firstBlock + blockCount)
    uint32_t blockCount = 0;

    // Where blocks overlap (the file contradicts itself), nothing is free.
    uint64_t free_bytes() const { return active_bytes < size_bytes ? size_bytes - active_bytes : 0; }
    friend bool operator==(const PlacedSegment&, const PlacedSegment&) = default;
};

struct AllocatorState {
    MemoryMoment moment = 0;
    MemoryLevels levels;
    std::vector<PlacedSegment> segments; // by address
    std::vector<PlacedBlock> blocks;     // by address; the last `homeless` ones are in no known segment
    size_t homeless = 0;

    std::span<const PlacedBlock> blocksOf(const PlacedSegment& segment) const
    {
        return std::span(blocks).subspan(segment.firstBlock, segment.blockCount);
    }
};

// O(blocks + segments of the history + live log live).
AllocatorState stateAt(const DeviceReplay& device, MemoryMoment moment);

// How scattered free memory is. Shares are in millionths, of reserved.
struct Fragmentation {
    MemoryMoment moment = 0;
    uint64_t reserved_bytes = 0;
    uint64_t free_bytes = 0;       // gaps of all segments
    uint64_t largestGap_bytes = 0; // no request above it fits without new memory
    uint64_t gaps = 0;
    uint64_t pinned_bytes = 0; // gaps in segments that a block keeps from being given back
    // Σ gap² / reserved², as torch.cuda._memory_viz has it: 1 = one gap as large as all that is reserved.
    double gapConcentration = 0;

    friend bool operator==(const Fragmentation&, const Fragmentation&) = default;
};
Fragmentation fragmentationOf(const AllocatorState& state);
// At each of these moments. canceled is the only error. O(moments * (blocks + segments)).
Result<std::vector<Fragmentation>> fragmentationOverTime(const DeviceReplay& device,
                                                         std::span<const MemoryMoment> moments,
                                                         const Progress& progress);

// A segment that is held for little: its blocks keep free_bytes from being given back to the device.
struct PinnedSegment {
    size_t segment = 0; // of AllocatorState::segments
    uint64_t free_bytes = 0;
    uint64_t active_bytes = 0;

    friend bool operator==(const PinnedSegment&, const PinnedSegment&) = default;
};
// Segments with blocks and gaps, by free_bytes, the most first, then by address.
std::vector<PinnedSegment> pinnedSegments(const AllocatorState& state);

// Why an allocation failed, from the allocator's state at that moment.
struct OutOfMemoryCause {
    MemoryMoment moment = 0;
    uint64_t requested_bytes = 0;  // rounded, as the allocator tried to get it
    uint64_t deviceFree_bytes = 0; // what the driver had left
    Fragmentation pool;
    std::vector<std::pair<MemoryStackId, int64_t>>
        holders; // active bytes by stack, the largest first, at most 3
};
// The first `most` after a moment: a program that retries fails thousands of times. O(entries + most *
// blocks).
std::vector<OutOfMemoryCause> outOfMemoryCauses(const AllocatorReplay& replay, const DeviceReplay& device,
                                                MemoryMoment after, size_t most);
// One sentence: what was asked for, what was free and in how large pieces, who holds most.
std::string outOfMemoryText(const OutOfMemoryCause& cause, const MemorySnapshot& snapshot,
                            const StringPool& strings);
// The innermost frames of a stack, "file:line function" each, parted by " < ": those of Python where it has
// any. "no stack" for none. most >= 1.
std::string stackText(const MemorySnapshot& snapshot, const StringPool& strings, MemoryStackId stack,
                      size_t most = 1);

} // namespace lockstep
