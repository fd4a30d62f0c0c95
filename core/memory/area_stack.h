// SPDX-License-Identifier: Apache-2.0
// AreaStack stacks sizes over columns into areas that a lane or panel draws without further layout. The
// largest groups have their own areas; all other groups are merged into one area on top. Created by
// stackAreas() for blocks, stacks and categories of active memory, and for segments. Value type. Thread: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace lockstep {

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

} // namespace lockstep
