// SPDX-License-Identifier: Apache-2.0
// LodRow: one drawing row (one depth of a track, or a GPU's busy row). Its sums give the count, the busy
// time, the dominant category and the longest slice for any time range in O(log n). A view of a SliceLod or
// BusyRow and the report it was built from; valid as long as both of these. Times are on the report's clock.
// Thread: any.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "core/base/column.h"
#include "core/base/ids.h"
#include "core/base/time.h"
#include "core/lanes/row_columns.h"
#include "core/trace/row_kind.h"

namespace lockstep {

// Summary of a row in a time range. Slices that only touch the borders of the range are not counted; instants
// count if they are inside the range.
struct RowSummary {
    uint32_t count = 0;
    int64_t busy_ns = 0; // busy time, clipped to the range
    // category with the most busy time; if all slices are instants, the category of the longest slice
    SliceCategory category = SliceCategory::other;
    uint32_t longest = 0; // position in the row of the longest (unclipped) slice; on a tie, the first one

    friend bool operator==(const RowSummary&, const RowSummary&) = default;
};

// A point in time on a row; the state of a left-to-right scan.
struct RowBoundary {
    static constexpr uint32_t kKinds = 4;

    uint32_t next = 0;   // first position in the row that starts at or after the time
    int64_t busy_ns = 0; // busy time of the row before the time
    // busy time by category; only on rows with 2 to kKinds categories
    std::array<int64_t, kKinds> mix_ns = {};
};

// The sums over blocks of kBlock slices, stored together for many rows. Rows with one category take 25 bytes
// per block.
struct RowSums {
    static constexpr uint32_t kBlock = RowColumns::kBlock;

    Column<int64_t> start_ns; // start of the first slice of each block
    // busy time of the row before each block; the column has one more entry than there are blocks
    Column<int64_t> busy_ns;
    // longest slice in each block, then in each group of 8 blocks, each group of 64 blocks, ...
    Column<int64_t> longest_ns;
    Column<int64_t> mix_ns; // rows with several categories: busy time before each block, per category in mask
                            // order

    static uint32_t blocksOf(uint32_t count) { return (count + kBlock - 1) / kBlock; }
    // Returns the number of entries in longest_ns for a row of `count` slices.
    static uint32_t longestEntriesOf(uint32_t count);
    size_t residentBytes() const;
};

// The offsets of a row's sums in a RowSums.
struct RowSumsAt {
    uint32_t start = 0;
    uint32_t busy = 0;
    uint32_t longest = 0;
    uint32_t mix = 0;
};

// Returns the offsets after the sums of a row of `count` slices at `at`. `mask` has one bit per category that
// occurs in the row.
RowSumsAt sumsAfter(RowSumsAt at, uint32_t count, uint16_t mask);

// Fills the sums of one row; the vectors must be large enough. `mask` has one bit per category that occurs in
// the row.
void fillRowSums(const RowColumns& row, uint16_t mask, RowSums& sums, RowSumsAt at);

// Prefix sums over blocks of RowSums::kBlock slices. The busy time before a time t is the stored sum before
// the block of t, plus the slices of the block that start before t, minus the part of the last of them that
// extends beyond t. This requires that slices of a row never overlap. A range is the difference of two such
// boundaries. The longest slice is found in a tree of block maxima. A boundary costs O(log n), or O(log
// distance) if a scan passes the position of the previous one.
class LodRow {
  public:
    LodRow() = default;
    // `firstSlice` is the slice at row 0 of the columns. It is invalid for busy rows, because their intervals
    // are not slices.
    LodRow(RowColumns columns, uint16_t mask, SliceId firstSlice, const RowSums& sums, RowSumsAt at);

    uint32_t count() const { return m_columns.count; }
    // Returns the slice at a position; an invalid ID on a busy row.
    SliceId sliceAt(uint32_t i) const
    {
        if (m_columns.slice != nullptr) return m_columns.slice[i];
        return m_firstSlice.isValid() ? SliceId(m_firstSlice.value + m_columns.rowAt(i)) : SliceId();
    }
    int64_t start(uint32_t i) const { return m_columns.start_ns[m_columns.rowAt(i)]; }
    int64_t duration(uint32_t i) const { return m_columns.duration_ns[m_columns.rowAt(i)]; }
    int64_t end(uint32_t i) const
    {
        const uint32_t row = m_columns.rowAt(i);
        return m_columns.start_ns[row] + m_columns.duration_ns[row];
    }
    SliceCategory category(uint32_t i) const
    {
        return m_columns.category == nullptr ? SliceCategory::compute
                                             : m_columns.category[m_columns.rowAt(i)];
    }
    int64_t totalBusy_ns() const { return m_busy[RowSums::blocksOf(m_columns.count)]; }

    // Returns the first position that starts at or after t. All positions before `from` must start before t.
    // O(log distance).
    uint32_t firstStartingAt(int64_t t, uint32_t from = 0) const;
    // Returns the first position that ends after t, or that is an instant at or after t.
    uint32_t firstReaching(int64_t t) const;
    RowBoundary boundaryAt(int64_t t, uint32_t from = 0) const;
    // Like the function above, but writes to an output argument, so that scans alternate between two
    // boundaries without copies.
    void findBoundary(int64_t t, uint32_t from, RowBoundary& out) const;
    RowSummary summarize(TimeRange range) const;

    // Prefetches position i.
    void prefetch(uint32_t i) const
    {
        if (m_columns.index != nullptr || i >= m_columns.count) return;
        __builtin_prefetch(m_columns.start_ns + i);
        __builtin_prefetch(m_columns.duration_ns + i);
        if (m_kinds > 1) __builtin_prefetch(m_columns.category + i);
    }

    // Compute parts of a summary, for scans that already have the positions [first, last) that overlap the
    // range.
    uint32_t longestIn(uint32_t first, uint32_t last) const;
    SliceCategory dominantIn(uint32_t first, uint32_t last, TimeRange range) const;
    // Computes the same from the boundaries of the range. Takes a few subtractions if the row has at most
    // RowBoundary::kKinds categories.
    SliceCategory dominantBetween(const RowBoundary& left, const RowBoundary& right, uint32_t first,
                                  TimeRange range) const;
    // Calls tell(category, ns) with the time per category between two boundaries. If the row has more than
    // RowBoundary::kKinds categories, all time is attributed to the category with the most time.
    template<class Visit>
    void forEachCategoryTime(const RowBoundary& left, const RowBoundary& right, uint32_t first,
                             TimeRange range, const Visit& visit) const
    {
        if (!carriesMix()) {
            visit(dominantIn(first, right.next, range), right.busy_ns - left.busy_ns);
            return;
        }
        uint32_t kind = 0;
        for (uint32_t rest = m_mask; rest != 0; rest &= rest - 1, ++kind) {
            visit(static_cast<SliceCategory>(std::countr_zero(rest)), right.mix_ns[kind] - left.mix_ns[kind]);
        }
    }
    uint16_t mask() const { return m_mask; } // one bit per category that occurs
    bool isOneCategory() const { return (m_mask & (m_mask - 1)) == 0; }

  private:
    bool carriesMix() const { return m_kinds > 1 && m_kinds <= RowBoundary::kKinds; }
    uint32_t blocksStartingBefore(int64_t t, uint32_t from) const;
    template<uint32_t kKinds, bool kIsIndexed>
    void findIn(uint32_t block, int64_t t, RowBoundary& out) const;
    template<uint32_t kKinds>
    void findIn(uint32_t block, int64_t t, RowBoundary& out) const;

    RowColumns m_columns;
    uint16_t m_mask = 1;
    uint32_t m_kinds = 1; // number of categories that occur
    // the first categories that occur, in mask order
    std::array<SliceCategory, RowBoundary::kKinds> m_kindAt{};
    SliceId m_firstSlice;
    const int64_t* m_start = nullptr;
    const int64_t* m_busy = nullptr;
    const int64_t* m_longest = nullptr;
    const int64_t* m_mix = nullptr;
};

} // namespace lockstep
