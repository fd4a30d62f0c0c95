// SPDX-License-Identifier: Apache-2.0
// StepPath: where the critical path of a step begins to be followed back, and the path of the step that a
// slice lies in, as the timeline marks it. Made from StepParts and PathWalk; critical_path makes its table of
// the same. Values; any thread.
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

// Of each step of each group the part that ended last on the aligned axis, parts with device work before
// others; by key. The parts are those of steps.
std::vector<std::pair<PathKey, const StepPart*>> pathStarts(const AnalysisRequest& request,
                                                            const StepParts& steps);

// Who came last to each collective, by the work of each other rank. Where starts and durations disagree,
// nobody.
LastArrivals lastArrivals(const AnalysisRequest& request, const Progress& progress);

struct StepPath {
    std::string step; // "step 3": as its marker names it, else which rule made it one
    SliceList slices; // that the path leads through; nullptr: nothing was recorded
    size_t pieces = 0;
    int64_t length_ns = 0; // of all pieces: the step's on the rank where the path ends
    int64_t inHand_ns = 0; // of the pieces of the slice asked for, the waits for it too
    int64_t inferred = 0;  // turns taken as likely and not recorded
    bool holdsSlice = false;
};

// The critical path of the step that the slice of a shown report was launched in, over all ranks of its run.
// invalid: the slice is of no step, with the reason; canceled. As critical_path.
Result<StepPath> stepPathThrough(const Scene& scene, SliceRef slice, const Progress& progress);

} // namespace lockstep
