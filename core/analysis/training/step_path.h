// SPDX-License-Identifier: Apache-2.0
// StepPath: the starting points of critical paths, and the critical path of the step that contains a slice,
// for display on the timeline. Computed from StepParts and PathWalk; the critical_path table is built from
// the same data. Value types. Thread: any.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/analysis/training/path_walk.h"
#include "core/analysis/training/step_parts.h"
#include "core/lanes/area.h"

namespace lockstep {

struct PathKey {
    GroupKey group;
    StepNaming naming;
    int64_t number;

    friend auto operator<=>(const PathKey&, const PathKey&) = default;
};

// Returns, for each step in each group, the part (one process's share of the step) that ended last on the
// aligned axis; parts with device work take precedence. Sorted by key. The parts point into `steps`.
std::vector<std::pair<PathKey, const StepPart*>> pathStarts(const AnalysisRequest& request,
                                                            const StepParts& steps);

// Maps the work of each rank in a collective to the work on the rank that arrived last. Excludes collectives
// for which starts and durations indicate different last ranks.
LastArrivals lastArrivals(const AnalysisRequest& request, const Progress& progress);

struct StepPath {
    std::string step; // "step 3" if the step is marked, otherwise the rule that defines the step
    SliceList slices; // slices on the path; nullptr if nothing was recorded
    size_t pieces = 0;
    int64_t length_ns = 0; // sum of all segments, which equals the duration of the step on the rank where the
                           // path ends
    int64_t sliceTime_ns = 0; // time in the segments of the given slice, including waits for that slice
    int64_t inferred = 0;     // number of inferred dependencies
    bool containsSlice = false;
};

// Returns the critical path of the step in which the slice was launched, over all ranks in its run, by the
// same rules as the critical_path analysis. The slice must belong to a visible report. Errors: `invalid`,
// with the reason, if the slice does not belong to any step; `canceled`.
Result<StepPath> stepPathThrough(const Scene& scene, SliceRef slice, const Progress& progress);

} // namespace lockstep
