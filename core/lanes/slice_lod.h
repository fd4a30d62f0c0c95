// SPDX-License-Identifier: Apache-2.0
// SliceLod: the drawing rows for every track in a report, each with its sums. Takes 3 to 4 bytes per slice
// for rows with one category, 1 byte more per category for mixed rows, and 4 bytes more for rows that share
// their track with other rows. Built once after loading. Immutable.
#pragma once

#include "core/base/workers.h"
#include "core/lanes/lod_row.h"
#include "core/trace/report.h"

namespace lockstep {

class SliceLod {
  public:
    SliceLod() = default;
    // The report must outlive every returned row.
    SliceLod(const Report& report, const Workers& workers);

    // Returns a row of a track; `depth` must be less than the track's depthCount. If more slices overlap than
    // a track can have rows (see nestSlices), the last row omits slices that overlap an earlier slice in that
    // row.
    LodRow row(const Report& report, TrackId track, uint16_t depth) const;
    // Returns whether the row contains slices that are not nested in other slices. This applies to row 0, and
    // to the rows below it if slices cross. Together, these rows show when the track was busy.
    bool isOutermost(TrackId track, uint16_t depth) const;
    size_t residentBytes() const;

  private:
    struct Row {
        uint32_t first = 0; // index in m_index; if the row is the whole track, the first slice of the track
        uint32_t count = 0;
        uint16_t mask = 0; // one bit per category that occurs
        bool isWhole = false;
        bool isOutermost = false;
        RowSumsAt at;
    };

    void countTrack(const Report& report, size_t track);
    void placeRows(const ColumnPlace& place);
    void fillTrack(const Report& report, size_t track);

    std::vector<uint32_t> m_firstRow; // by track; one more entry than there are tracks
    std::vector<Row> m_rows;
    Column<uint32_t> m_index; // row numbers relative to the track's first slice
    RowSums m_sums;
};

} // namespace lockstep
