// SPDX-License-Identifier: Apache-2.0
// PathWalk: walks backward from the end of a step to its start along the dependencies that delayed it. It
// goes from a synchronizing call to the work that the call waited for, from work to the previous work on its
// stream or to the call that launched it, and from a collective to the last rank to arrive. Every point in
// time belongs to exactly one segment, so the segments add up to the wall time of the step. Used by
// critical_path; only reads reports. Thread: any.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/analysis.h"

namespace lockstep {

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
    std::vector<PathSegment> pieces; // contiguous, from the end of the step to its start
    int64_t recorded = 0;            // recorded dependencies: launches, order within a stream
    int64_t inferred = 0; // inferred dependencies: from a call to the work it waited for, between streams,
                          // and to the rank that arrived last
};

// range: on the report's clock. mark: the host range that represents the step; the walk begins on that
// range's thread. Without a mark, it begins at the slice of the process that ended last. O(segments * (log
// rows + tracks of the process)).
CriticalPath findCriticalPath(const AnalysisRequest& request, ReportKey report, ProcessId process,
                              TimeRange range, SliceId mark, const LastArrivals& arrivals,
                              const Progress& progress);

} // namespace lockstep
