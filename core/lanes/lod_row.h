// SPDX-License-Identifier: Apache-2.0
// LodRow: one drawing row (one depth of one track, or a GPU's busy row) with the sums that answer "how many,
// how busy, which category, which slice is longest" for any time in O(log n). A view into a SliceLod or
// BusyRow and the report it was built from; valid as long as both. Times are on the report's clock. Any
// thread.
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

// What a row holds in a time range. Slices that only touch the range's borders do not count; instants count
// when they lie in it.
struct RowSummary {
    uint32_t count = 0;
    int64_t busy_ns = 0; // clipped to the range
    SliceCategory category =
        SliceCategory::other; // the one with most busy time; of the longest when all are instants
    uint32_t longest = 0;     // position in the row of the longest (unclipped) slice, the first of equals

    friend bool operator==(const RowSummary&, const RowSummary&) = default;
};

// A moment on a row: what a walk from left to right carries along.
struct RowBoundary {
    static constexpr uint32_t kKinds = 4;

    uint32_t next = 0;                       // first position that starts at or after the moment
    int64_t busy_ns = 0;                     // busy time of the row before the moment
    std::array<int64_t, kKinds> mix_ns = {}; // the same by category; on rows of 2 to kKinds categories only
};

// The sums over blocks of kBlock slices, pooled for many rows. 25 bytes a block of one category.
struct RowSums {
    static constexpr uint32_t kBlock = RowColumns::kBlock;

    Column<int64_t> start_ns;   // of each block's first slice
    Column<int64_t> busy_ns;    // of the row before each block; one entry more than blocks
    Column<int64_t> longest_ns; // longest slice of each block, then of each 8 blocks, of each 64 ...
    Column<int64_t> mix_ns; // rows of several categories: busy before each block, per category in mask order

    static uint32_t blocksOf(uint32_t count) { return (count + kBlock - 1) / kBlock; }
    // Entries that a row of `count` slices takes in longest_ns.
    static uint32_t longestEntriesOf(uint32_t count);
    size_t residentBytes() const;
};

// Where a row's sums begin in a RowSums.
struct RowSumsAt {
    uint32_t start = 0;
    uint32_t busy = 0;
    uint32_t longest = 0;
    uint32_t mix = 0;
};

// Fills the sums of one row; the vectors must be large enough. `mask` has a bit per category that occurs.
void fillRowSums(const RowColumns& row, uint16_t mask, RowSums& sums, RowSumsAt at);

class LodRow {
  public:
    LodRow() = default;
    // firstSlice: the slice at row 0 of the columns; invalid for busy rows, whose intervals are no slices.
    LodRow(RowColumns columns, uint16_t mask, SliceId firstSlice, const RowSums& sums, RowSumsAt at);

    uint32_t count() const { return m_columns.count; }
    // An invalid id on a busy row.
    SliceId sliceAt(uint32_t i) const
    {
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

    // First position that starts at or after t. All positions before `from` must start before t. O(log
    // distance).
    uint32_t firstStartingAt(int64_t t, uint32_t from = 0) const;
    // First position that ends after t, or is an instant at or after t.
    uint32_t firstReaching(int64_t t) const;
    RowBoundary boundaryAt(int64_t t, uint32_t from = 0) const;
    // The same, written where it is wanted: walks change between two of them and copy none.
    void findBoundary(int64_t t, uint32_t from, RowBoundary& out) const;
    RowSummary summarize(TimeRange range) const;

    // Tells the processor that position i will be asked for soon.
    void prefetch(uint32_t i) const
    {
        if (m_columns.index != nullptr || i >= m_columns.count) return;
        __builtin_prefetch(m_columns.start_ns + i);
        __builtin_prefetch(m_columns.duration_ns + i);
        if (m_kinds > 1) __builtin_prefetch(m_columns.category + i);
    }

    // The parts of a summary, for walks that know the positions [first, last) that overlap the range.
    uint32_t longestIn(uint32_t first, uint32_t last) const;
    SliceCategory dominantIn(uint32_t first, uint32_t last, TimeRange range) const;
    // The same from the boundaries of the range: a few subtractions where the row has no more than
    // RowBoundary::kKinds categories.
    SliceCategory dominantBetween(const RowBoundary& left, const RowBoundary& right, uint32_t first,
                                  TimeRange range) const;
    // Calls tell(category, ns) for what each category took between two boundaries; where the row has more
    // than RowBoundary::kKinds of them all of it counts as the one with most.
    template<class Tell>
    void tellTimes(const RowBoundary& left, const RowBoundary& right, uint32_t first, TimeRange range,
                   const Tell& tell) const
    {
        if (!carriesMix()) {
            tell(dominantIn(first, right.next, range), right.busy_ns - left.busy_ns);
            return;
        }
        uint32_t kind = 0;
        for (uint32_t rest = m_mask; rest != 0; rest &= rest - 1, ++kind) {
            tell(static_cast<SliceCategory>(std::countr_zero(rest)), right.mix_ns[kind] - left.mix_ns[kind]);
        }
    }
    uint16_t mask() const { return m_mask; } // a bit per category that occurs
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
    uint32_t m_kinds = 1;                                      // categories that occur
    std::array<SliceCategory, RowBoundary::kKinds> m_kindAt{}; // the first of them, in the mask's order
    SliceId m_firstSlice;
    const int64_t* m_start = nullptr;
    const int64_t* m_busy = nullptr;
    const int64_t* m_longest = nullptr;
    const int64_t* m_mix = nullptr;
};

} // namespace lockstep
