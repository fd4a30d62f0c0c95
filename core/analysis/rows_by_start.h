// SPDX-License-Identifier: Apache-2.0
// RowsByStart: iterates over the rows in all visible reports in scope, by group, then by start on the aligned
// axis. Stores only one position per track, regardless of the number of rows. All tables that list individual
// rows use it. Thread: one at a time.
#pragma once

#include <vector>

#include "core/analysis/analysis.h"
#include "core/analysis/row_kinds.h"

namespace lockstep {

// Number of rows that the streams of these tables visit per page.
inline constexpr size_t kTracePage_rows = 128 * 1024;

struct PlacedRow {
    ReportKey report;
    TrackId track;
    SliceId slice;
    const GroupKey* group = nullptr; // valid as long as the RowsByStart object

    SliceRef ref() const { return {report, slice}; }
};

class RowsByStart {
  public:
    // Iterates over rows of these kinds on the tracks in scope, restricted to the scope's time range if set.
    // The scene must outlive it. The scope's name filter is not applied here.
    RowsByStart(const Scene& scene, const Scope& scope, RowKinds kinds);

    // Returns the next row; false after the last. Rows with equal starts are ordered by report, then by row
    // in the file. O(log tracks).
    bool next(PlacedRow& row);
    void restart();
    // Returns the reports that have such rows on tracks in scope, sorted by key.
    const std::vector<ReportKey>& reports() const { return m_reports; }

  private:
    struct Place {
        size_t group = 0; // index in m_groups
        ReportKey report;
        TrackId track;
        uint32_t row = 0, last = 0;
        TraceTime start; // start of the current row, aligned
        SourceRow source;
    };

    bool advance(Place& place) const;
    static bool isLater(const Place& a, const Place& b);

    const Scene& m_scene;
    const RowKinds m_kinds;
    std::vector<GroupKey> m_groups;
    std::vector<std::optional<TimeRange>> m_windows; // by report key
    std::vector<Place> m_first;                      // initial state, in which each track is at its first row
    std::vector<Place> m_heap;
    std::vector<ReportKey> m_reports;
};

} // namespace lockstep
