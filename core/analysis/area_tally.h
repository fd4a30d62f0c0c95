// SPDX-License-Identifier: Apache-2.0
// AreaTally: what one stretch of a selection's time adds up to by group. Slices of all its tracks are walked
// in the order of their starts, so that the union of each group is counted by one moment alone: until when it
// is covered. Made by an aggregate, a stretch a worker at a time.
#pragma once

#include <vector>

#include "core/analysis/area_groups.h"

namespace lockstep {

// One group's slices that begin in one stretch.
struct AreaTally {
    uint32_t group = 0;
    int64_t sum_ns = 0;
    int64_t union_ns = 0;   // beyond what was covered when the stretch began
    int64_t first_ns = 0;   // begin of the first, aligned
    int64_t covered_ns = 0; // end of what reaches furthest, aligned
    uint64_t count = 0, cut = 0;
    int64_t longest_ns = -1;
    SliceRef longest;
    SliceCategory category = SliceCategory::other;
};

// Part of a run: those of its slices that begin in the stretch, with the group of each.
struct AreaStretchRun {
    const AreaRun* run = nullptr;
    const IntervalSet* windows = nullptr;
    AreaGroups::OfRun groups;
    const SliceTable* slices = nullptr;
    const ClockMap* map = nullptr;
    bool isShifted = true; // its clock differs from the axis by offset_ns alone
    uint32_t first = 0, last = 0;

    int64_t aligned(int64_t trace_ns) const
    {
        return isShifted ? trace_ns + map->offset_ns : map->alignedFromTrace(TraceTime{trace_ns}).ns;
    }
    // The part in the window, aligned.
    TimeRange partOf(uint32_t row) const
    {
        const int64_t start_ns = slices->start_ns[row];
        const TimeRange& window = run->window;
        return {{aligned(std::max(start_ns, window.begin.ns))},
                {aligned(std::min(start_ns + slices->duration_ns[row], window.end.ns))}};
    }
    // The one that stands for its slice: the part in the first of its windows.
    bool isFirstPart(uint32_t row) const { return slices->start_ns[row] >= run->counted.ns; }
};

// The next slice of one run, by its begin in the area.
struct AreaHead {
    int64_t begin_ns;
    uint32_t run;

    friend bool operator>(const AreaHead& a, const AreaHead& b)
    {
        return a.begin_ns != b.begin_ns ? a.begin_ns > b.begin_ns : a.run > b.run;
    }
};

// Adds up one stretch. A worker's own, used again for the next one.
class AreaTallying {
  public:
    // groups: how many there are; one more, the last, is of all slices.
    explicit AreaTallying(uint32_t groups) : m_of(groups + 1), m_isTouched(groups + 1, false) {}

    // By group as they were met, the one of all slices last. covered: by group, until when it is covered by
    // what began before; nullptr: not at all.
    std::vector<AreaTally> tally(std::vector<AreaStretchRun>& runs, const int64_t* covered);

  private:
    void walkFew(std::vector<AreaStretchRun>& runs, std::vector<uint32_t>& at,
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
