// SPDX-License-Identifier: Apache-2.0
// AllocatorRules: how PyTorch's caching allocator turns the bytes that a caller asked for into the bytes that
// it hands out. Made once per snapshot from the settings that the file states and from the sizes that stand
// in the dump; read by the replay, which finds in the history what was asked for only. A value; any thread.
// Rules: c10/cuda/CUDACachingAllocator.cpp, round_size(), get_pool() and should_split().
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>

#include "core/trace/memory_snapshot_table.h"
#include "core/trace/report.h"

namespace lockstep {

inline constexpr uint64_t kSmallestBlock_bytes = 512;        // kMinBlockSize
inline constexpr uint64_t kLargestSmall_bytes = 1024 * 1024; // kSmallSize: above it, the large pool
// No device holds more; larger sizes in a file are damage (the virtual addresses of a GPU have 49 bits).
inline constexpr uint64_t kLargestSize_bytes = uint64_t(1) << 49;
// Nor does a history hand out more in all: it would take years. Below it no sum of sizes overflows.
inline constexpr uint64_t kLargestTotal_bytes = uint64_t(1) << 61;

struct AllocatorRules {
    bool isAsStated = false;    // the history says what was handed out, and nothing is rounded
    uint64_t padding_bytes = 0; // added before rounding: 32 on Ascend NPUs, else 0
    // allocator_settings.roundup_power2_divisions for sizes from 1, 2, 4 ... 32768 MiB; 0 = not set.
    std::array<uint32_t, 16> powerOf2Divisions{};
    uint64_t maxSplit_bytes = std::numeric_limits<uint64_t>::max(); // allocator_settings.max_split_size

    // What a request takes before it is known which free block it is cut from. requested <=
    // kLargestSize_bytes.
    uint64_t rounded(uint64_t requested_bytes) const;
    bool isSmall(uint64_t rounded_bytes) const { return rounded_bytes <= kLargestSmall_bytes; }
    // What is handed out of a free block of free_bytes >= rounded_bytes in the large pool of a segment that
    // does not expand: a remainder of up to 1 MiB is not cut off, of requests from max_split_size on nothing
    // is.
    uint64_t handedOut(uint64_t rounded_bytes, uint64_t free_bytes) const;

    friend bool operator==(const AllocatorRules&, const AllocatorRules&) = default;
};

// From the facts "allocator.*" that the memory snapshot reader took from allocator_settings, and from the
// dump: the padding is the one that explains more of its small blocks, or, where it holds none, of the
// history's. Nothing is rounded where the history states handed-out sizes. O(entries log entries).
AllocatorRules allocatorRules(std::span<const Fact> facts, const MemorySnapshot& snapshot);

} // namespace lockstep
