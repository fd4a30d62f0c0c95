// SPDX-License-Identifier: Apache-2.0
// SameSlices: where a slice is on other ranks and in other steps, and by which rule each was found. Made off
// the UI thread for the timeline's slice menu, which selects what was found and says what was not. Values;
// pure, any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/scene/scene.h"

namespace lockstep {

// The first of these that says something of a place.
enum class SameRule : uint8_t {
    collective, // a part of the same collective: communicator and sequence number, or what alignment matched
    inStep,     // the n-th of its name in the step, on the same kind of lane
    inReport    // the n-th of its name in the report, where steps are not known there or here
};

struct SameSlice {
    SliceRef slice;
    SameRule rule = SameRule::inReport;
    std::optional<int64_t> step; // as the marker there numbers it

    friend bool operator==(const SameSlice&, const SameSlice&) = default;
};

// A step of a process, or all of it, in which nothing was found.
struct SameMiss {
    ReportKey report;
    ProcessId process;
    std::optional<int64_t> step;
    uint64_t there = 0;     // slices of that name, on the lane that would have it
    bool hasNoLane = false; // no lane of that kind has as many before it

    friend bool operator==(const SameMiss&, const SameMiss&) = default;
};

struct SameSlices {
    SliceRef of;
    uint64_t nth = 0;              // of its name in the step or report, on its lane, from 0
    std::optional<int64_t> step;   // that it lies in
    std::vector<SameSlice> found;  // by slice; without the one itself
    std::vector<SameMiss> missing; // by report, process, step

    uint64_t countBy(SameRule rule) const;
};

// `of` is of the scene's shown reports; looked for in those of its run and role. Work of a GPU is of the step
// in which it was launched, where links say when. Of several lanes of one kind in a process that have the
// name, the k-th there stands for the k-th here. The answer does not depend on the order of reports.
// canceled. O(slices of the tracks of that kind), on all workers.
Result<SameSlices> sameSlices(const Scene& scene, SliceRef of, const Progress& progress);

// "63 by their collective, 128 as the 5th of its name in the step; not on rank 7 step 2 (4 of that name) and
// 3 more": nothing but what was found and what was not.
std::string sameSlicesText(const Scene& scene, const SameSlices& same);

} // namespace lockstep
