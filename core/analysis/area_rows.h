// SPDX-License-Identifier: Apache-2.0
// AreaRows: the slices in selected areas plus the individually selected slices, without duplicates, as runs
// sorted by start. Created from a scene by areaRowsOf(). The aggregate, the flame graph and the histogram of
// a selection share it, so all three count the same slices. The scene must outlive it. Immutable. Thread:
// any.
#pragma once

#include <deque>
#include <span>

#include "core/analysis/scope.h"
#include "core/base/interval_set.h"
#include "core/base/progress.h"
#include "core/lanes/area.h"
#include "core/scene/scene.h"

namespace lockstep {

// The selection to be counted.
struct AreaQuery {
    std::vector<Area> areas;
    SliceList picks;           // if there are no areas, they are counted completely
    Clip clip = Clip::exclude; // whether clipped slices are included in Min, Avg, Med, StdDev and the
                               // histogram

    bool isEmpty() const { return areas.empty() && picks == nullptr; }
    friend bool operator==(const AreaQuery&, const AreaQuery&) = default;
};

// Slices from one track, sorted by start.
struct AreaRun {
    ReportKey report;
    TrackId track;
    uint32_t lane = kNoLane;
    TimeRange window; // on the report's clock; only the part of a slice inside this range counts; all slices
                      // overlap this range
    TraceTime counted{kAllTime.begin}; // slices that begin before this time were already counted by an
                                       // earlier run on the track
    uint32_t first = 0;                // rows [first, first + count) ...
    uint32_t count = 0;
    const uint32_t* rows = nullptr; // ... or these rows

    uint32_t row(uint32_t i) const { return rows != nullptr ? rows[i] : first + i; }
};

class AreaRows {
  public:
    std::span<const AreaRun> runs() const { return m_runs; }
    uint64_t rowCount() const; // if several windows on a track clip the same slice, the slice is counted once
                               // per window
    // Returns the areas on a track, on its report's clock; empty for individually selected slices.
    const IntervalSet& windowsOf(const AreaRun& run) const;
    // Returns the number of lanes with selected slices, or the total length of the areas (overlaps are
    // counted once).
    size_t laneCount() const { return m_laneCount; }
    Duration length() const { return m_length; }

  private:
    friend class AreaRowsBuilder;

    std::vector<AreaRun> m_runs;
    std::deque<std::vector<uint32_t>> m_lists;
    std::map<TrackRef, IntervalSet> m_windows;
    size_t m_laneCount = 0;
    Duration m_length;
};

// Cost: O(rows that begin before or inside the areas, on the tracks that the areas cover). The only possible
// error is `canceled`.
Result<AreaRows> areaRowsOf(const Scene& scene, const AreaQuery& request, const Progress& progress);

// Returns the part of a slice, in ns, that is inside the windows on its track; its full duration if there are
// no windows.
int64_t insideOf(const IntervalSet& windows, TimeRange slice);

} // namespace lockstep
