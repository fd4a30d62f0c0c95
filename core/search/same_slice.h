// SPDX-License-Identifier: Apache-2.0
// SameSlices: the counterparts of a slice on other ranks and in other steps, with the rule by which each was
// found. Computed off the UI thread for the timeline's slice menu, which selects the counterparts found and
// reports the missing ones. Value types; pure. Thread: any.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/scene/scene.h"

namespace lockstep {

// The first rule that gives a result for a place is used.
enum class SameRule : uint8_t {
    collective, // a part of the same collective: by communicator and sequence number, or matched by the
                // alignment
    inStep,     // the n-th slice with its name in the step, on a lane of the same kind
    inReport    // the n-th slice with its name in the report, if steps are unknown on either side
};

struct SameSlice {
    SliceRef slice;
    SameRule rule = SameRule::inReport;
    std::optional<int64_t> step; // step number given by the step's marker

    friend bool operator==(const SameSlice&, const SameSlice&) = default;
};

// A step of a process, or a whole process, in which no counterpart was found.
struct SameMiss {
    ReportKey report;
    ProcessId process;
    std::optional<int64_t> step;
    uint64_t there = 0;     // number of slices with that name in the lane that should contain the counterpart
    bool hasNoLane = false; // true: no lane of that kind has enough slices with the name

    friend bool operator==(const SameMiss&, const SameMiss&) = default;
};

struct SameSlices {
    SliceRef of;
    uint64_t nth = 0;              // zero-based occurrence of the name in the step or report, in its lane
    std::optional<int64_t> step;   // step that contains the slice
    std::vector<SameSlice> found;  // sorted by slice; does not include the slice itself
    std::vector<SameMiss> missing; // sorted by report, process and step

    uint64_t countBy(SameRule rule) const;
};

// `of` must be in the scene's visible reports; the reports with the same run and role are searched. GPU work
// belongs to the step in which it was launched, if links record the launch. If a process has several lanes of
// one kind with that name, lanes are matched by position: the k-th with the k-th. The result does not depend
// on the order of reports. The only possible error is `canceled`. O(slices on tracks of that kind), on all
// workers.
Result<SameSlices> sameSlices(const Scene& scene, SliceRef of, const Progress& progress);

// Describes which counterparts were found and which are missing: "63 by collective, 128 as the 5th with this
// name in the step; not on rank 7 step 2 (4 with this name) and 3 more".
std::string sameSlicesText(const Scene& scene, const SameSlices& same);

} // namespace lockstep
