// SPDX-License-Identifier: Apache-2.0
// AllocatorState describes the segments of a device, with their blocks and gaps, at a point in its history.
// Created by stateAt() for the scrubber and for fragmentation. Value type. Thread: any.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/memory/allocator_replay.h"

namespace lockstep {

// PlacedBlock is a live block with its address. Gaps are the memory between blocks.
struct PlacedBlock {
    BlockLifeId life;
    uint64_t address = 0;
    uint64_t size_bytes = 0;
    uint64_t requested_bytes = 0;
    bool isPending = false; // the owner has freed the block, but other streams still use it

    friend bool operator==(const PlacedBlock&, const PlacedBlock&) = default;
};

// PlacedSegment is a segment. Adjacent mapped ranges of an expandable segment on one stream count as a single
// segment.
struct PlacedSegment {
    uint64_t address = 0;
    uint64_t size_bytes = 0;
    uint64_t active_bytes = 0;
    uint64_t largestGap_bytes = 0;
    uint32_t gaps = 0;
    uint64_t stream = 0;
    bool isExpandable = false;
    uint32_t dumpSegment = 0xFFFFFFFFu; // row of MemorySnapshot::segments; none: the segment was released
                                        // before the dump
    uint32_t firstBlock = 0;            // index of the segment's first block; its blocks are [firstBlock,
                                        // firstBlock + blockCount)
    uint32_t blockCount = 0;

    // Returns the free bytes; 0 if blocks overlap, which is a contradiction in the file.
    uint64_t free_bytes() const { return active_bytes < size_bytes ? size_bytes - active_bytes : 0; }
    friend bool operator==(const PlacedSegment&, const PlacedSegment&) = default;
};

struct AllocatorState {
    MemoryMoment moment = 0;
    MemoryLevels levels;
    std::vector<PlacedSegment> segments; // sorted by address
    std::vector<PlacedBlock> blocks; // sorted by address, but the last `outsideSegments` blocks do not belong
                                     // to any known segment
    size_t outsideSegments = 0;

    std::span<const PlacedBlock> blocksOf(const PlacedSegment& segment) const
    {
        return std::span(blocks).subspan(segment.firstBlock, segment.blockCount);
    }
};

// Returns the state at the given moment. O(blocks + segments in the history + live log live).
AllocatorState stateAt(const DeviceReplay& device, MemoryMoment moment);

// Fragmentation measures how scattered the free memory is.
struct Fragmentation {
    MemoryMoment moment = 0;
    uint64_t reserved_bytes = 0;
    uint64_t free_bytes = 0;       // gaps in all segments
    uint64_t largestGap_bytes = 0; // size of the largest gap; larger requests need new memory from the device
    uint64_t gaps = 0;
    uint64_t pinned_bytes = 0; // gaps in segments that cannot be released because they contain live blocks
    // Sum of gap² / reserved², as in torch.cuda._memory_viz. 1 means a single gap of all reserved memory.
    double gapConcentration = 0;

    friend bool operator==(const Fragmentation&, const Fragmentation&) = default;
};
Fragmentation fragmentationOf(const AllocatorState& state);
// Returns the fragmentation at each of these moments. O(moments * (blocks + segments)). The only possible
// error is `canceled`.
Result<std::vector<Fragmentation>> fragmentationOverTime(const DeviceReplay& device,
                                                         std::span<const MemoryMoment> moments,
                                                         const Progress& progress);

// PinnedSegment is a segment whose free_bytes cannot be released to the device because of its blocks.
struct PinnedSegment {
    size_t segment = 0; // row of AllocatorState::segments
    uint64_t free_bytes = 0;
    uint64_t active_bytes = 0;

    friend bool operator==(const PinnedSegment&, const PinnedSegment&) = default;
};
// Returns the segments that have both blocks and gaps, sorted by free_bytes (largest first), then by address.
std::vector<PinnedSegment> pinnedSegments(const AllocatorState& state);

// OutOfMemoryCause explains a failed allocation by the state of the allocator at that moment.
struct OutOfMemoryCause {
    MemoryMoment moment = 0;
    uint64_t requested_bytes = 0;  // rounded size of the allocation that the allocator requested from the
                                   // driver
    uint64_t deviceFree_bytes = 0; // free memory reported by the driver
    Fragmentation pool;
    std::vector<std::pair<MemoryStackId, int64_t>> holders; // active bytes by stack for at most three stacks,
                                                            // largest first
};
// Returns at most `most` failures after a moment. The number is limited because a program that retries may
// fail thousands of times. O(entries + most * blocks).
std::vector<OutOfMemoryCause> outOfMemoryCauses(const AllocatorReplay& replay, const DeviceReplay& device,
                                                MemoryMoment after, size_t most);
// Describes a failure in one sentence: requested and free bytes, free chunks, and the stacks that hold the
// most memory.
std::string outOfMemoryText(const OutOfMemoryCause& cause, const MemorySnapshot& snapshot,
                            const StringPool& strings);
// Returns the innermost frames of a stack as "file:line function", separated by " < ". If the stack has
// Python frames, only these are used. Returns "no stack" for an invalid ID. most >= 1.
std::string stackText(const MemorySnapshot& snapshot, const StringPool& strings, MemoryStackId stack,
                      size_t most = 1);

} // namespace lockstep
