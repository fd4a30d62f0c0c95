// SPDX-License-Identifier: Apache-2.0
// WantedRows: the rows of a file that others refer to (copies, colours, links name them by their place), and
// which slice each of them became. Used by ReportFreezer.
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
    // sources in any order, any of them more than once. None is known where the place's disk is full.
    WantedRows(Column<SourceRow> sources, const ColumnPlace& place);

    // Tells what a row became, whether it is wanted or not. From several threads at once. Sources are unique
    // in a sound file; of a damaged one the first slice counts, whichever thread comes first.
    void meet(SourceRow source, SliceId slice);
    // Invalid where none was met.
    SliceId sliceOf(SourceRow source) const;

  private:
    Column<SourceRow> m_sources;  // sorted
    Column<SliceId> m_met;        // by position in m_sources
    std::vector<uint64_t> m_bits; // a bit for each hash of m_sources: says no to most rows at once
};

} // namespace lockstep
