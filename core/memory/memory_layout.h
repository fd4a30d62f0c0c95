// SPDX-License-Identifier: Apache-2.0
// MemoryLayout: active memory over time as areas that lie on each other, which a lane or a panel draws as it
// stands: the largest blocks, stacks or categories each have their own, the rest is one on top. Made by
// layOutMemory(), a pure function, for as many columns as there are pixels; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/time.h"
#include "core/memory/allocator_replay.h"
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
    size_t mostAreas = 500;              // besides the rest; the detail slider
    size_t mostPoints = size_t(1) << 21; // of all areas together; where they do not suffice, areas are fewer
};

// From column firstColumn on, one point a column.
struct MemoryArea {
    uint32_t key =
        0; // row of blocks, of stacks (kNoStackKey: none recorded), or the category; of the rest kRestKey
    uint32_t firstColumn = 0;
    uint32_t columnCount = 0;
    uint32_t firstPoint = 0;
    int64_t most_bytes = 0; // its largest size in these columns

    friend bool operator==(const MemoryArea&, const MemoryArea&) = default;
};
inline constexpr uint32_t kNoStackKey = 0xFFFFFFFEu;
inline constexpr uint32_t kRestKey = 0xFFFFFFFFu;

struct MemoryLayout {
    // What a column shows: its first moment of the greatest active memory, so that no peak is lost.
    std::vector<MemoryMoment> moments;
    std::vector<MemoryLevels> levels; // at these moments; areas of a column add up to its active bytes
    // From below. Blocks in order of birth, stacks in that of their first block, categories as they are
    // numbered: an area keeps its place whatever is beside it. The rest comes last, where there is one.
    std::vector<MemoryArea> areas;
    std::vector<int64_t> offset_bytes; // by point: the lower edge
    std::vector<int64_t> size_bytes;   // by point
    size_t summedUp = 0;               // how many blocks, stacks or categories are in the rest

    // The area at a height of a column; empty above all of them. O(areas).
    std::optional<size_t> areaAt(size_t column, int64_t bytes) const;
    friend bool operator==(const MemoryLayout&, const MemoryLayout&) = default;
};

// categories: of the snapshot's stacks; needed for MemoryGrouping::category only. O(entries in the columns +
// blocks log blocks + points). canceled is the only error.
Result<MemoryLayout> layOutMemory(const DeviceReplay& device, const MemoryLayoutRequest& request,
                                  const std::vector<MemoryCategory>& categories, const Progress& progress);

// `columns` equal columns of a range of the report's clock: what is alive when a column begins, and every
// moment until the next one does. Where the file has no times: equal columns of all moments. columns >= 1.
std::vector<MemoryColumn> columnsOfTime(const DeviceReplay& device, const MemorySnapshot& snapshot,
                                        TimeRange range, size_t columns);
std::vector<MemoryColumn> columnsOfMoments(MemoryMoment first, MemoryMoment last, size_t columns);

} // namespace lockstep
