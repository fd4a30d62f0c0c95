// SPDX-License-Identifier: Apache-2.0
// WantedRows: the rows of a file to which other data refers by position (copies, colors, links), and the
// slice created from each such row. Used by ReportFreezer.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/column_place.h"
#include "core/base/ids.h"
#include "core/trace/slice_table.h"

namespace lockstep {

class WantedRows {
  public:
    WantedRows() = default;
    // `sources` may be unsorted and may contain duplicates. If the disk of `place` is full, no row is known.
    WantedRows(Column<SourceRow> sources, const ColumnPlace& place);

    // Records the slice of a row, whether the row is wanted or not. Thread-safe. Sources are unique in an
    // intact file. In a corrupt file, the slice that any thread records first is used.
    void meet(SourceRow source, SliceId slice);
    // Returns the slice of a row; invalid if no slice was recorded for the row.
    SliceId sliceOf(SourceRow source) const;

  private:
    Column<SourceRow> m_sources;  // sorted
    Column<SliceId> m_met;        // by position in m_sources
    std::vector<uint64_t> m_bits; // one bit per hash of m_sources; rejects most rows quickly
};

} // namespace lockstep
