// SPDX-License-Identifier: Apache-2.0
// AllocatorRules compute allocated sizes from requested sizes in the same way as PyTorch's caching allocator.
// The replay requires them because the history records only requested sizes. Created once per snapshot, from
// the recorded settings and the sizes in the dump. Source: c10/cuda/CUDACachingAllocator.cpp, round_size(),
// get_pool() and should_split(). Value type. Thread: any.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>

#include "core/trace/memory_snapshot_table.h"
#include "core/trace/report.h"

namespace lockstep {

inline constexpr uint64_t kSmallestBlock_bytes = 512;        // PyTorch's kMinBlockSize
inline constexpr uint64_t kLargestSmall_bytes = 1024 * 1024; // PyTorch's kSmallSize; larger blocks belong to
                                                             // the large pool
// Upper bound for a size. Larger sizes can only be corrupt data, because virtual GPU addresses have 49 bits.
inline constexpr uint64_t kLargestSize_bytes = uint64_t(1) << 49;
// Upper bound for the sum of all sizes in a history. Below this bound, no sum of sizes can overflow.
inline constexpr uint64_t kLargestTotal_bytes = uint64_t(1) << 61;

struct AllocatorRules {
    bool recordsAllocatedSizes = false; // true if the history records allocated sizes, so nothing is rounded
    uint64_t padding_bytes = 0;         // added to a size before rounding: 32 on Ascend NPUs, otherwise 0
    // allocator_settings.roundup_power2_divisions for the size intervals that begin at 1, 2, 4 ... 32768 MiB;
    // 0 = not set.
    std::array<uint32_t, 16> powerOf2Divisions{};
    uint64_t maxSplit_bytes = std::numeric_limits<uint64_t>::max(); // allocator_settings.max_split_size

    // Returns the rounded size of a request, as the allocator computes it before searching for a free block.
    // requested_bytes <= kLargestSize_bytes.
    uint64_t rounded(uint64_t requested_bytes) const;
    bool isSmall(uint64_t rounded_bytes) const { return rounded_bytes <= kLargestSmall_bytes; }
    // Returns the size allocated from a free block with free_bytes >= rounded_bytes, if the block is in the
    // large pool and its segment is not expandable. A remainder of up to 1 MiB is not split off. Requests of
    // at least max_split_size are never split.
    uint64_t allocatedSize(uint64_t rounded_bytes, uint64_t free_bytes) const;

    friend bool operator==(const AllocatorRules&, const AllocatorRules&) = default;
};

// Derives the rules from the "allocator.*" properties, which the snapshot reader takes from
// allocator_settings, and from the dump. Of the possible paddings, chooses the one that explains more of the
// small blocks in the dump, or in the history if the dump has none. Nothing is rounded if the history records
// allocated sizes. O(entries log entries).
AllocatorRules allocatorRules(std::span<const Fact> facts, const MemorySnapshot& snapshot);

} // namespace lockstep
