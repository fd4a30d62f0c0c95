// SPDX-License-Identifier: Apache-2.0
// AreaRows: the slices that selected areas and picked slices hold, each once, as runs in the order of their
// starts. Made by areaRowsOf() of a scene; read by the aggregate, the flame graph and the histogram of a
// selection, so that all count the same. The scene must outlive it. Immutable; any thread.
#pragma once

#include <deque>
#include <span>

#include "core/analysis/scope.h"
#include "core/base/interval_set.h"
#include "core/base/progress.h"
#include "core/lanes/area.h"
#include "core/scene/scene.h"

namespace lockstep {

// What is selected, to be counted.
struct AreaQuery {
    std::vector<Area> areas;
    SliceList picks;           // counted whole, where no area holds them
    Clip clip = Clip::exclude; // of what the areas cut: is it in Min, Avg, Med, StdDev and the histogram?

    bool isEmpty() const { return areas.empty() && picks == nullptr; }
    friend bool operator==(const AreaQuery&, const AreaQuery&) = default;
};

// Slices of one track, in the order of their starts.
struct AreaRun {
    ReportKey report;
    TrackId track;
    uint32_t lane = kNoLane;
    TimeRange window;                  // on the report's clock: what counts of them; they overlap it
    TraceTime counted{kAllTime.begin}; // those that begin before were counted by an earlier run of the track
    uint32_t first = 0;                // they are rows [first, first + count) ...
    uint32_t count = 0;
    const uint32_t* rows = nullptr; // ... or these

    uint32_t row(uint32_t i) const { return rows != nullptr ? rows[i] : first + i; }
};

class AreaRows {
  public:
    std::span<const AreaRun> runs() const { return m_runs; }
    uint64_t rowCount() const; // a slice that several windows of its track cut counts as often
    // What a track has of the areas, on its report's clock; empty for picked slices.
    const IntervalSet& windowsOf(const AreaRun& run) const;
    // Lanes with slices in it, and how long its areas are without what they share.
    size_t laneCount() const { return m_laneCount; }
    Duration length() const { return m_length; }

  private:
    friend class AreaRowsMaking;

    std::vector<AreaRun> m_runs;
    std::deque<std::vector<uint32_t>> m_lists;
    std::map<TrackRef, IntervalSet> m_windows;
    size_t m_laneCount = 0;
    Duration m_length;
};

// O(rows before and in the areas, of the tracks that they take). canceled.
Result<AreaRows> areaRowsOf(const Scene& scene, const AreaQuery& request, const Progress& progress);

// What of a slice lies in the windows of its track, in ns; all of it where there are none.
int64_t insideOf(const IntervalSet& windows, TimeRange slice);
// Whether the windows cut a slice: it does not lie in one of them whole.
bool isCutBy(const IntervalSet& windows, TimeRange slice);

} // namespace lockstep
