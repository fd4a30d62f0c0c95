// SPDX-License-Identifier: Apache-2.0
// AllocatorLayout arranges the segments in an allocator state into rows of boxes on a common scale, for
// blocks and for the free memory between them. Created by layOutAllocator(); views draw and hit-test it
// without further layout. Pure. Thread: any.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/memory/allocator_state.h"

namespace lockstep {

// BlockSearch finds the blocks in an allocator state that match a search string: part of a frame in the
// allocating stack, or an address. findBlocks() is a pure function. Thread: any.

struct FoundBlocks {
    std::vector<uint8_t> isFound; // for each row of AllocatorState::blocks, whether the block matches
    uint32_t count = 0;
    uint64_t size_bytes = 0; // total size of the matching blocks
};

// Finds the blocks. Frames ("file:line function") match case-insensitively. Hexadecimal digits, with or
// without 0x, also match a block whose start address begins with these digits or which contains that address.
// A blank search string matches nothing. O(frames + stacks + blocks).
FoundBlocks findBlocks(const AllocatorState& state, const DeviceReplay& device,
                       const MemorySnapshot& snapshot, const StringPool& strings, std::string_view text);

enum class SegmentOrder : uint8_t { size, address, freeShare };

// Private pools belong to CUDA graphs and torch.cuda.MemPool. All other segments are in the large or small
// pool.
enum class MemoryPool : uint8_t { large, small, privatePool };

struct AllocatorRequest {
    int32_t width = 1; // px, >= 1
    SegmentOrder order = SegmentOrder::size;
    std::optional<MemoryPool> pool;     // nullopt: all pools are shown
    const FoundBlocks* found = nullptr; // blocks of this state that match the search; nullptr: no search
};

// Pixels [left, right) of a row.
struct AllocatorBox {
    int32_t left = 0, right = 0;
    BlockLifeId life;    // largest block in the box, search matches first; invalid: free memory
    uint32_t blocks = 0; // number of blocks in this box; 0: free memory
    uint32_t found = 0;  // number of these blocks that match the search
    bool isPending = false;

    friend bool operator==(const AllocatorBox&, const AllocatorBox&) = default;
};

struct AllocatorRow {
    uint64_t address = 0;
    uint64_t size_bytes = 0;
    uint64_t free_bytes = 0;
    uint32_t segments = 1; // above 1: the row holds several small segments of one pool, side by side
    bool isExpandable = false;
    MemoryPool pool = MemoryPool::large;
    std::array<uint64_t, 2> poolId{}; // ID of a private pool, as numbered by PyTorch
    uint32_t firstBox = 0, boxCount = 0;

    friend bool operator==(const AllocatorRow&, const AllocatorRow&) = default;
};

struct AllocatorLayout {
    std::vector<AllocatorRow> rows; // in the requested order; small segments come last
    std::vector<AllocatorBox> boxes;
    uint64_t scale_bytes = 1; // number of bytes that the full width represents
    uint32_t left = 0;        // number of segments that are hidden because they belong to other pools

    std::span<const AllocatorBox> boxesOf(const AllocatorRow& row) const
    {
        return std::span(boxes).subspan(row.firstBox, row.boxCount);
    }
    // Returns the box at a pixel of a row, or nullptr.
    const AllocatorBox* boxAt(size_t row, int32_t x) const;
};

// Lays out a state. Segments of up to kSmallSegment_bytes share one row per pool. Ranges narrower than a
// pixel share a box with their neighbor; blocks take precedence over free memory. Segments released before
// the dump are shown in the default pools, because the file does not record their pool. O(segments + blocks).
inline constexpr uint64_t kSmallSegment_bytes = uint64_t(2) << 20; // CUDACachingAllocator's kSmallBuffer
AllocatorLayout layOutAllocator(const AllocatorState& state, const MemorySnapshot& snapshot,
                                const AllocatorRequest& request);

} // namespace lockstep
