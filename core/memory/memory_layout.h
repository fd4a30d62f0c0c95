// SPDX-License-Identifier: Apache-2.0
// MemoryLayout: a device's memory over time as stacked areas: its active memory by block, stack or category,
// as PyTorch's "active memory timeline", or its segments, as the "active cached segment timeline". Made by
// layOutMemory() and layOutSegments(), pure functions, for as many columns as there are pixels; any thread.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/time.h"
#include "core/memory/allocator_replay.h"
#include "core/memory/area_stack.h"
#include "core/memory/memory_category.h"

namespace lockstep {

enum class MemoryGrouping : uint8_t { block, stack, category };

// The moments that one column of pixels shows, both ends included.
struct MemoryColumn {
    MemoryMoment first = 0;
    MemoryMoment last = 0;

    friend bool operator==(const MemoryColumn&, const MemoryColumn&) = default;
};

struct MemoryLayoutRequest {
    std::vector<MemoryColumn> columns; // each begins where the one before it ends, or later
    MemoryGrouping by = MemoryGrouping::block;
    AreaLimits limits;
};

inline constexpr uint32_t kNoStackKey = 0xFFFFFFFEu; // of the area of blocks without a stack

struct MemoryLayout {
    // What a column shows: its first moment of the most active (of segments: reserved) memory, so that no
    // peak is lost.
    std::vector<MemoryMoment> moments;
    std::vector<MemoryLevels> levels; // at these moments
    // Areas of a column add up to its active, or reserved, bytes. Keys: rows of blocks, stacks, categories,
    // or rows of SegmentHistory::lives. From below: blocks and segments in order of birth, stacks in that of
    // their first block, categories as they are numbered.
    AreaStack stack;

    friend bool operator==(const MemoryLayout&, const MemoryLayout&) = default;
};

// categories: of the snapshot's stacks; needed for MemoryGrouping::category only. O(columns * 64 +
// strides + blocks log blocks + points). canceled is the only error.
Result<MemoryLayout> layOutMemory(const DeviceReplay& device, const MemoryLayoutRequest& request,
                                  const std::vector<MemoryCategory>& categories, const Progress& progress);

// The segments that are held: cudaMalloc'ed ones and mapped ranges, which PyTorch's viewer leaves out. `by`
// of the request does not count.
Result<MemoryLayout> layOutSegments(const DeviceReplay& device, const MemoryLayoutRequest& request,
                                    const Progress& progress);

// What is reserved as two areas, kActiveKey and above it kUnusedKey, what is free in the pool. A column shows
// its first moment with the most of the latter, so that no peak of it is lost. `by` does not count.
// O(moments).
inline constexpr uint32_t kActiveKey = 0, kUnusedKey = 1;
Result<MemoryLayout> layOutUnused(const DeviceReplay& device, const MemoryLayoutRequest& request,
                                  const Progress& progress);

// `columns` equal columns of a range of the report's clock: what is alive when a column begins, and every
// moment until the next one does. Where the file has no times: equal columns of all moments. columns >= 1.
std::vector<MemoryColumn> columnsOfTime(const DeviceReplay& device, const MemorySnapshot& snapshot,
                                        TimeRange range, size_t columns);
std::vector<MemoryColumn> columnsOfMoments(MemoryMoment first, MemoryMoment last, size_t columns);

} // namespace lockstep
