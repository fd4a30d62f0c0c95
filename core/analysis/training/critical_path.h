// SPDX-License-Identifier: Apache-2.0
// The `critical_path` analysis: what each training step waited for from start to end, by kind and name.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/analysis/analysis.h"
#include "core/analysis/table_columns.h"
#include "core/analysis/training/step_parts.h"
#include "core/lanes/area.h"

namespace lockstep {

// PathWalk: walks backward from the end of a step to its start along the dependencies that delayed it. It
// goes from a synchronizing call to the work that the call waited for, from work to the previous work on its
// stream or to the call that launched it, and from a collective to the last rank to arrive. Every point in
// time belongs to exactly one segment, so the segments add up to the wall time of the step. Used by
// critical_path; only reads reports. Thread: any.

enum class PathKind : uint8_t {
    compute,       // a kernel, or a whole graph
    communication, // the part of a collective after the last rank arrived, if that time is known
    copy,          // a copy or memset
    launch, // from the start of a call to the start of the work that it launched, if nothing else delayed the
            // work
    gap,    // from the end of earlier work on the stream to the start of work that had already been launched
    sync,   // a call that waits for the device: the part after the device has finished, or the whole call if
            // there is no work to wait for
    cudaApi,    // another CUDA call
    host,       // operators, ranges and library calls on a thread
    unrecorded, // no data was recorded for the thread
    count
};

std::string_view pathKindName(PathKind kind);
std::string_view pathKindDoc(PathKind kind);

struct PathSegment {
    PathKind kind = PathKind::unrecorded;
    std::string name;
    SliceRef slice; // in the segment's own report; the slice is invalid if nothing was recorded
    ProcessId process;
    int64_t length_ns = 0; // on the aligned axis
};

// Maps the work of each rank in a collective to the work on the rank that arrived last. Contains only
// collectives whose last rank is known and whose clocks are aligned.
using LastArrivals = std::map<SliceRef, SliceRef>;

struct CriticalPath {
    std::vector<PathSegment> segments; // contiguous, from the end of the step to its start
    int64_t recorded = 0;              // recorded dependencies: launches, order within a stream
    int64_t inferred = 0; // inferred dependencies: from a call to the work it waited for, between streams,
                          // and to the rank that arrived last
};

// range: on the report's clock. mark: the host range that represents the step; the walk begins on that
// range's thread. Without a mark, it begins at the slice of the process that ended last. O(segments * (log
// rows + tracks of the process)).
CriticalPath findCriticalPath(const AnalysisRequest& request, ReportKey report, ProcessId process,
                              TimeRange range, SliceId mark, const LastArrivals& arrivals,
                              const Progress& progress);

// StepPath: the starting points of critical paths, and the critical path of the step that contains a slice,
// for display on the timeline. Computed from StepParts and PathWalk; the critical_path table is built from
// the same data. Value types. Thread: any.

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
    size_t segments = 0;
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

// All segments of a step's path with the same kind and name on one rank.
struct PathRow {
    GroupKey group;
    SliceRef longest;            // slice of the longest segment
    std::optional<int64_t> step; // unset if unknown
    std::string member;          // role and rank, or the process if ranks are unknown
    PathKind kind = PathKind::unrecorded;
    std::string name; // name of the kernel, call, operator or range
    int64_t time_ns = 0, count = 0;
    int64_t wall_ns = 0; // duration of the step on the rank where the path ends
    std::string from;    // the rule that defines the step
    int64_t longest_ns = -1;

    std::string_view kindName() const { return pathKindName(kind); }
};

// Returns the rows by group and step, then by time, longest first. The only possible error is `canceled`.
Result<AnalysisRows<PathRow>> criticalPath(const AnalysisRequest& request, const Progress& progress);

} // namespace lockstep
