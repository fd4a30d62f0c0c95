// SPDX-License-Identifier: Apache-2.0
// AreaStack: sizes over columns as areas that lie on each other, for a lane or a panel to draw as it stands.
// The largest have areas of their own, the rest is one on top. Made by stackAreas() from what is shown where;
// used for blocks, stacks and categories of active memory, and for segments. Values, any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace lockstep {

// Something of one size in columns [begin, end).
struct ColumnSpan {
    uint32_t group = 0; // those of one group make one area
    uint32_t order = 0; // areas stack in the order of their groups' first spans
    uint32_t begin = 0, end = 0;
    int64_t size_bytes = 0;
};

// From column firstColumn on, one point a column.
struct MemoryArea {
    uint32_t key = 0; // the group; of the rest kRestKey
    uint32_t firstColumn = 0;
    uint32_t columnCount = 0;
    uint32_t firstPoint = 0;
    int64_t most_bytes = 0; // its largest size in these columns

    friend bool operator==(const MemoryArea&, const MemoryArea&) = default;
};
inline constexpr uint32_t kRestKey = 0xFFFFFFFFu;

struct AreaLimits {
    size_t mostAreas = 500; // besides the rest: what a detail slider sets
    size_t mostPoints =
        size_t(1) << 21; // of these areas together; where they do not suffice, areas are fewer
};

struct AreaStack {
    std::vector<MemoryArea> areas;     // from below; an area keeps its place whatever is beside it
    std::vector<int64_t> offset_bytes; // by point: the lower edge
    std::vector<int64_t> size_bytes;   // by point
    size_t summedUp = 0;               // how many groups are in the rest, which comes last; 0: there is none

    // The area at a height of a column; empty above all of them. O(areas).
    std::optional<size_t> areaAt(size_t column, int64_t bytes) const;
    friend bool operator==(const AreaStack&, const AreaStack&) = default;
};

// total_bytes: by column, what all spans of it add up to. The groups of the largest size in any column are
// chosen, of equal ones those that come first. Spans are not empty and end within the columns. O(spans log
// spans + points + groups * columns of groups of several spans).
AreaStack stackAreas(std::vector<ColumnSpan> spans, const std::vector<int64_t>& total_bytes,
                     const AreaLimits& limits);

} // namespace lockstep
