// SPDX-License-Identifier: Apache-2.0
// Related slices: the parts of a collective on all ranks, the same work on other ranks and in other steps,
// the causes and effects of a slice, and the slices before and after it. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/align/collective_peers.h"
#include "core/base/progress.h"
#include "core/lanes/area.h"
#include "core/scene/scene.h"

namespace lockstep {

// Returns the parts of a collective on all ranks, even if the alignment has not matched it. They are found by
// the communicator and the sequence number recorded in the files. Returns the result of peersOf(), if there
// is one. Otherwise returns the parts with the same communicator, sequence number and operation in reports of
// the same step. Reports with several such parts are skipped, and the last arrival remains unknown. The slice
// must belong to a visible report. O(collectives).
CollectivePeers collectiveParts(const Scene& scene, SliceRef of);

// SameSlices: the counterparts of a slice on other ranks and in other steps, with the rule by which each was
// found. Computed off the UI thread for the timeline's slice menu, which selects the counterparts found and
// reports the missing ones. Value types; pure. Thread: any.

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

// SliceChain: the causes and effects of a slice: the API call, the work it launched, the collective to which
// that work belongs, and the parts of this collective on the other ranks. Computed for the timeline, which
// highlights these slices and dims all others. Value type; pure. Thread: any.
struct SliceChain {
    SliceRef of;
    std::vector<SliceRef> line; // the chain of first causes, ending with `of`, followed by the chain of first
                                // effects
    SliceList slices;           // all direct and indirect causes and effects, including the parts of
                                // collectives
    size_t ranks = 0;           // number of reports that contain a part of the collectives
    SliceRef cause;             // the part for which the others waited; invalid if there is none or if it is
                                // unknown
    bool isCut = false;         // the chain has more than kMaxChain slices and was cut off

    bool isAlone() const { return slices == nullptr || slices->size() < 2; }
};

inline constexpr size_t kMaxChain = 4'096;

// `of` must belong to a visible report. O(slices of the chain * log links + collectives).
SliceChain chainOf(const Scene& scene, SliceRef of);

// Returns "cudaLaunchKernel → ncclDevKernel_AllReduce → collective on 64 ranks, rank 7 arrived last".
std::string chainText(const Scene& scene, const SliceChain& chain);

// Returns the next (or previous) slice at the same depth of its track, continuing with the adjacent capture
// on the same row of its lane. Invalid at the end of the row. O(log
// slices).
SliceRef sliceAfter(const Scene& scene, SliceRef slice);
SliceRef sliceBefore(const Scene& scene, SliceRef slice);

// Returns the first effect or the first cause of this slice; invalid if there is none.
SliceRef firstEffect(const Workspace& workspace, SliceRef slice);
SliceRef firstCause(const Workspace& workspace, SliceRef slice);

} // namespace lockstep
