// SPDX-License-Identifier: Apache-2.0
// AllocatorLayout: the segments of an allocator's state as rows of boxes on one common scale, so that lengths
// compare: blocks, and what is free between them. Made by layOutAllocator(), a pure function, for a view to
// draw and to hit-test as it stands; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/memory/block_search.h"

namespace lockstep {

enum class SegmentOrder : uint8_t { size, address, freeShare };

// Private pools are those of CUDA graphs and of torch.cuda.MemPool. What is in none is in one of the other
// two.
enum class MemoryPool : uint8_t { large, small, privatePool };

struct AllocatorRequest {
    int32_t width = 1; // px, >= 1
    SegmentOrder order = SegmentOrder::size;
    std::optional<MemoryPool> pool;     // empty: all
    const FoundBlocks* found = nullptr; // of the same state; nullptr: nothing is looked for
};

// Pixels [left, right) of a row.
struct AllocatorBox {
    int32_t left = 0, right = 0;
    BlockLifeId life;    // the largest of what is drawn here, of what is looked for first; invalid: free
    uint32_t blocks = 0; // how many share this box; 0: free
    uint32_t found = 0;  // of these, of what is looked for
    bool isPending = false;

    friend bool operator==(const AllocatorBox&, const AllocatorBox&) = default;
};

struct AllocatorRow {
    uint64_t address = 0;
    uint64_t size_bytes = 0;
    uint64_t free_bytes = 0;
    uint32_t segments = 1; // more: small ones of a pool, one after another
    bool isExpandable = false;
    MemoryPool pool = MemoryPool::large;
    std::array<uint64_t, 2> poolId{}; // of a private pool, as torch numbers it
    uint32_t firstBox = 0, boxCount = 0;

    friend bool operator==(const AllocatorRow&, const AllocatorRow&) = default;
};

struct AllocatorLayout {
    std::vector<AllocatorRow> rows; // in the order asked for; small segments come last
    std::vector<AllocatorBox> boxes;
    uint64_t scale_bytes = 1; // what the width stands for
    uint32_t left = 0;        // segments of other pools than the one asked for

    std::span<const AllocatorBox> boxesOf(const AllocatorRow& row) const
    {
        return std::span(boxes).subspan(row.firstBox, row.boxCount);
    }
    // The box at a pixel of a row; nullptr where there is none.
    const AllocatorBox* boxAt(size_t row, int32_t x) const;
};

// Segments of up to kSmallSegment_bytes are one row a pool. What is narrower than a pixel shares a box with
// its neighbour; where one of them is free and one is not, the block is shown. A segment that was gone at the
// dump counts to the default pools: the file does not say where it was. O(segments + blocks).
inline constexpr uint64_t kSmallSegment_bytes = uint64_t(2) << 20; // CUDACachingAllocator's kSmallBuffer
AllocatorLayout layOutAllocator(const AllocatorState& state, const MemorySnapshot& snapshot,
                                const AllocatorRequest& request);

} // namespace lockstep
