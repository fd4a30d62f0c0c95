// SPDX-License-Identifier: Apache-2.0
// Orders the rows of one track by start, then longest first, then position in the file. Sorts 16-byte
// references; rows are not moved, except within their chunk if they are on disk. Used by ReportFreezer.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/column_place.h"
#include "core/base/ids.h"
#include "core/base/progress.h"
#include "core/trace/slice_batch.h"
#include "core/trace/slice_table.h"

namespace lockstep {

struct OrderedRow {
    int64_t start_ns;
    const SliceRow* row;
};

// Returns references to all rows of the given parts of one track, in order. If each part is in ascending file
// order (as it is if workers take windows in turn), the parts are first merged by file order, which usually
// yields chronological order. Shuffled rows on disk are sorted within each chunk, then the chunks are merged.
// Every chunk is then read sequentially when the references are followed. Otherwise, under a memory limit,
// almost every row would cause a page fault. After progress.check() fails, the result may be unsorted or
// empty.
Column<OrderedRow> orderedRows(std::span<SliceBatch::Rows* const> parts, const Progress& progress);

// ReferencedRows: the rows of a file to which other data refers by position (copies, colors, links), and the
// slice created from each such row. Used by ReportFreezer.
class ReferencedRows {
  public:
    ReferencedRows() = default;
    // `sources` may be unsorted and may contain duplicates. If the disk of `place` is full, no row is known.
    ReferencedRows(Column<SourceRow> sources, const ColumnPlace& place);

    // Records the slice of a row, whether or not other data refers to the row. Thread-safe. Sources are
    // unique in an intact file. In a corrupt file, the slice that any thread records first is used.
    void record(SourceRow source, SliceId slice);
    // Returns the slice of a row; invalid if no slice was recorded for the row.
    SliceId sliceOf(SourceRow source) const;

  private:
    Column<SourceRow> m_sources;  // sorted
    Column<SliceId> m_slices;     // by position in m_sources
    std::vector<uint64_t> m_bits; // one bit per hash of m_sources; rejects most rows quickly
};

} // namespace lockstep
