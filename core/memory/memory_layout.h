// SPDX-License-Identifier: Apache-2.0
// MemoryLayout is a device's memory over time as stacked areas, with one column per pixel. It shows active
// memory by block, stack or category, as in PyTorch's "active memory timeline", or segments, as in PyTorch's
// "active cached segment timeline". Created by layOutMemory() and layOutSegments(). Pure functions. Thread:
// any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/time.h"
#include "core/memory/allocator_replay.h"
#include "core/memory/memory_category.h"

namespace lockstep {

// AreaStack stacks sizes over columns into areas that a lane or panel draws without further layout. The
// largest groups have their own areas; all other groups are merged into one area on top. Created by
// stackAreas() for blocks, stacks and categories of active memory, and for segments. Value type. Thread: any.

// ColumnSpan is an item with a constant size over columns [begin, end).
struct ColumnSpan {
    uint32_t group = 0; // all spans of one group form one area
    uint32_t order = 0; // areas are stacked in the order of the first spans of their groups
    uint32_t begin = 0, end = 0;
    int64_t size_bytes = 0;
};

// MemoryArea begins at column firstColumn and has one point per column.
struct MemoryArea {
    uint32_t key = 0; // the group, or kRestKey for all remaining groups combined
    uint32_t firstColumn = 0;
    uint32_t columnCount = 0;
    uint32_t firstPoint = 0;
    int64_t most_bytes = 0; // largest size in the visible columns

    friend bool operator==(const MemoryArea&, const MemoryArea&) = default;
};
inline constexpr uint32_t kRestKey = 0xFFFFFFFFu;

struct AreaLimits {
    size_t mostAreas = 500; // maximum number of areas, not counting the rest; set by the detail slider
    size_t mostPoints =
        size_t(1) << 21; // maximum number of points in all areas; if it is reached, fewer areas are created
};

struct AreaStack {
    std::vector<MemoryArea> areas;     // from bottom to top; the order of areas is the same in every column
    std::vector<int64_t> offset_bytes; // lower edge at each point
    std::vector<int64_t> size_bytes;   // height at each point
    size_t summedUp = 0;               // number of groups merged into the rest, which is the last area; 0: no
                                       // rest

    // Returns the area at a height in a column, or nullopt above all areas. O(areas).
    std::optional<size_t> areaAt(size_t column, int64_t bytes) const;
    friend bool operator==(const AreaStack&, const AreaStack&) = default;
};

// Creates the areas. total_bytes: the sum of all spans in each column. The groups with the largest size in
// any column get their own areas; ties: the groups that come first. Spans must not be empty and must end
// within the columns. O(spans log spans + points + groups * columns of groups with several spans).
AreaStack stackAreas(std::vector<ColumnSpan> spans, const std::vector<int64_t>& total_bytes,
                     const AreaLimits& limits);

enum class MemoryGrouping : uint8_t { block, stack, category };

// MemoryColumn is the range of moments in one pixel column, both ends inclusive.
struct MemoryColumn {
    MemoryMoment first = 0;
    MemoryMoment last = 0;

    friend bool operator==(const MemoryColumn&, const MemoryColumn&) = default;
};

struct MemoryLayoutRequest {
    std::vector<MemoryColumn> columns; // each begins at or after the end of the previous one
    MemoryGrouping by = MemoryGrouping::block;
    AreaLimits limits;
};

inline constexpr uint32_t kNoStackKey = 0xFFFFFFFEu; // key of the area for blocks without a stack

struct MemoryLayout {
    // The moment shown in each column. This is the first moment in the column with the most active memory
    // (for segments: the most reserved memory), so that no peak is lost.
    std::vector<MemoryMoment> moments;
    std::vector<MemoryLevels> levels; // levels at these moments
    // The areas in a column add up to its active or reserved bytes. Keys are rows of blocks, stacks,
    // categories, or rows of SegmentHistory::lives. Stacking order from the bottom: blocks and segments by
    // start, stacks by their first block, categories by enum value.
    AreaStack stack;

    friend bool operator==(const MemoryLayout&, const MemoryLayout&) = default;
};

// Lays out active memory. categories: the category of each stack in the snapshot; used only for
// MemoryGrouping::category. O(columns * 64 + strides + blocks log blocks + points). The only possible error
// is `canceled`.
Result<MemoryLayout> layOutMemory(const DeviceReplay& device, const MemoryLayoutRequest& request,
                                  const std::vector<MemoryCategory>& categories, const Progress& progress);

// Lays out the segments from cudaMalloc, and also the mapped ranges, which PyTorch's viewer omits. Ignores
// `by` in the request.
Result<MemoryLayout> layOutSegments(const DeviceReplay& device, const MemoryLayoutRequest& request,
                                    const Progress& progress);

// Lays out reserved memory as two areas: kActiveKey, and above it kUnusedKey, which is the free memory in the
// pool. Each column shows the first moment in it with the most free memory, so that no peak is lost. Ignores
// `by`. O(moments).
inline constexpr uint32_t kActiveKey = 0, kUnusedKey = 1;
Result<MemoryLayout> layOutUnused(const DeviceReplay& device, const MemoryLayoutRequest& request,
                                  const Progress& progress);

// Returns `columns` equal columns over a range on the report's clock. A column contains the moment at its
// start and all moments until the next column. If there are no timestamps, the moments are divided equally
// among the columns. columns >= 1.
std::vector<MemoryColumn> columnsOfTime(const DeviceReplay& device, const MemorySnapshot& snapshot,
                                        TimeRange range, size_t columns);
std::vector<MemoryColumn> columnsOfMoments(MemoryMoment first, MemoryMoment last, size_t columns);

} // namespace lockstep
