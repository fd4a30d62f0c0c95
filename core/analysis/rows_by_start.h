// SPDX-License-Identifier: Apache-2.0
// RowsByStart: rows of all shown reports in scope, one after the other: by group, then by their start on the
// aligned axis. Holds a place in each track and no row, whatever their number: what tables that list rows one
// by one are made from. One thread at a time.
#pragma once

#include <vector>

#include "core/analysis/analysis.h"
#include "core/analysis/row_kinds.h"

namespace lockstep {

struct PlacedRow {
    ReportKey report;
    TrackId track;
    SliceId slice;
    const GroupKey* group = nullptr; // as long as the RowsByStart

    SliceRef ref() const { return {report, slice}; }
};

class RowsByStart {
  public:
    // Rows of these kinds of the tracks in scope; those that overlap its time range where it has one. The
    // scene must outlive it; its names do not matter here.
    RowsByStart(const Scene& scene, const Scope& scope, RowKinds kinds);

    // The next row; false after the last. Of rows that start at once the one of the earlier report comes
    // first, then of the earlier row of its file. O(log tracks).
    bool next(PlacedRow& row);
    void restart();
    // The reports that have tracks in scope with such rows, in the order of their keys.
    const std::vector<ReportKey>& reports() const { return m_reports; }

  private:
    struct Place {
        size_t group = 0; // of m_groups
        ReportKey report;
        TrackId track;
        uint32_t row = 0, last = 0;
        TraceTime start; // aligned, of the row it is at
        SourceRow source;
    };

    bool advance(Place& place) const;
    static bool isLater(const Place& a, const Place& b);

    const Scene& m_scene;
    const RowKinds m_kinds;
    std::vector<GroupKey> m_groups;
    std::vector<std::optional<TimeRange>> m_windows; // by report key
    std::vector<Place> m_first;                      // at the first row of each track
    std::vector<Place> m_heap;
    std::vector<ReportKey> m_reports;
};

} // namespace lockstep
