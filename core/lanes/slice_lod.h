// SPDX-License-Identifier: Apache-2.0
// SliceLod: the drawing rows of every track of one report, each with its sums. Built once after load,
// immutable. Takes 3 to 4 bytes a slice for rows of one category, 1 more a category for mixed rows, 4 more
// for rows that share their track with others.
#pragma once

#include "core/base/workers.h"
#include "core/lanes/lod_row.h"
#include "core/trace/report.h"

namespace lockstep {

class SliceLod {
  public:
    SliceLod() = default;
    // The report must outlive every row taken from this.
    SliceLod(const Report& report, const Workers& workers);

    // depth < the track's depthCount. Where more slices overlapped than a track can have rows (see
    // nestSlices), the last row leaves out those that overlap an earlier one of it.
    LodRow row(const Report& report, TrackId track, uint16_t depth) const;
    // The row holds slices that lie in no other one: row 0 does, and rows below it where slices cross. These
    // rows together show when the track was busy.
    bool isOutermost(TrackId track, uint16_t depth) const;
    size_t residentBytes() const;

  private:
    struct Row {
        uint32_t first = 0; // into m_index, or the track's first slice where the row is the whole track
        uint32_t count = 0;
        uint16_t mask = 0; // a bit per category that occurs
        bool isWhole = false;
        bool isOutermost = false;
        RowSumsAt at;
    };

    void countTrack(const Report& report, size_t track);
    void placeRows(const ColumnPlace& place);
    void fillTrack(const Report& report, size_t track);

    std::vector<uint32_t> m_firstRow; // by track; one entry more than tracks
    std::vector<Row> m_rows;
    Column<uint32_t> m_index; // row numbers relative to the track's first slice
    RowSums m_sums;
};

} // namespace lockstep
