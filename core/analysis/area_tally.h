// SPDX-License-Identifier: Apache-2.0
// AreaTally: totals by group for one stretch of the selected time. The slices of all tracks are visited in
// order of start, so computing the union of a group takes only one value per group: the end of the time
// covered so far. Used by an aggregate; each worker processes one stretch at a time.
#pragma once

#include <vector>

#include "core/analysis/area_groups.h"

namespace lockstep {

// Totals for one group, over the slices that begin in one stretch of time.
struct AreaTally {
    uint32_t group = 0;
    int64_t sum_ns = 0;
    int64_t union_ns = 0;   // added to the time that was already covered when the stretch began
    int64_t first_ns = 0;   // start of the first slice, aligned
    int64_t covered_ns = 0; // latest end of any slice, aligned
    uint64_t count = 0, cut = 0;
    int64_t longest_ns = -1;
    SliceRef longest;
    SliceCategory category = SliceCategory::other;
};

// The part of a run whose slices begin in the stretch, with the group of each slice.
struct AreaStretchRun {
    const AreaRun* run = nullptr;
    const IntervalSet* windows = nullptr;
    AreaGroups::OfRun groups;
    const SliceTable* slices = nullptr;
    const ClockMap* map = nullptr;
    bool isShifted = true; // the report's clock differs from the axis only by offset_ns
    uint32_t first = 0, last = 0;

    int64_t aligned(int64_t trace_ns) const
    {
        return isShifted ? trace_ns + map->offset_ns : map->alignedFromTrace(TraceTime{trace_ns}).ns;
    }
    // Returns the part of a row inside the window, aligned.
    TimeRange partOf(uint32_t row) const
    {
        const int64_t start_ns = slices->start_ns[row];
        const TimeRange& window = run->window;
        return {{aligned(std::max(start_ns, window.begin.ns))},
                {aligned(std::min(start_ns + slices->duration_ns[row], window.end.ns))}};
    }
    // Returns true if the row is the slice's part in the first window that the slice overlaps. This part
    // represents the slice.
    bool isFirstPart(uint32_t row) const { return slices->start_ns[row] >= run->counted.ns; }
};

// The next slice of one run, ordered by its start in the area.
struct AreaHead {
    int64_t begin_ns;
    uint32_t run;

    friend bool operator>(const AreaHead& a, const AreaHead& b)
    {
        return a.begin_ns != b.begin_ns ? a.begin_ns > b.begin_ns : a.run > b.run;
    }
};

// Computes the totals for one stretch. Each worker has its own object and reuses it.
class AreaTallying {
  public:
    // groups: number of groups. An additional last group holds the totals of all slices.
    explicit AreaTallying(uint32_t groups) : m_of(groups + 1), m_isTouched(groups + 1, false) {}

    // Returns the tallies by group in order of occurrence; the tally of all slices comes last. covered: by
    // group, the time up to which earlier slices cover the axis; nullptr if no time is covered.
    std::vector<AreaTally> tally(std::vector<AreaStretchRun>& runs, const int64_t* covered);

  private:
    void tallyFewRuns(std::vector<AreaStretchRun>& runs, std::vector<uint32_t>& at,
                      const std::vector<AreaHead>& heads);
    std::vector<AreaTally> taken();
    void add(const AreaStretchRun& run, uint32_t row);
    void addTo(AreaTally& tally, const AreaStretchRun& run, uint32_t row, TimeRange part);
    AreaTally& touched(uint32_t group, TimeRange part);

    std::vector<AreaTally> m_of; // by group
    std::vector<bool> m_isTouched;
    std::vector<uint32_t> m_touched;
    const int64_t* m_covered = nullptr;
};

} // namespace lockstep
