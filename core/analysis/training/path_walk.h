// SPDX-License-Identifier: Apache-2.0
// PathWalk: what a step was waiting for, from its end back to its begin: from a synchronising call to the
// work that it waited for, from work to what ran before it on its stream or to the call that launched it,
// from a collective to the rank that came last. Every moment of the step is in one piece, so the pieces add
// up to its wall time. Made by critical_path; reads reports only. Any thread.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/analysis.h"

namespace lockstep {

enum class PathKind : uint8_t {
    compute,       // a kernel, or a whole graph
    communication, // from the last rank's arrival, where that is known
    copy,          // a copy or memset
    launch,        // from a call's begin to the work that it launched, which nothing else held up
    gap,           // from the end of the stream's earlier work to work that was launched before that
    sync,          // a call that waits for the device, after the device was done or without work to wait for
    cudaApi,       // another call of CUDA
    host,          // operators, ranges and library calls of a thread
    unrecorded,    // the file has nothing on the thread
    count
};

std::string_view pathKindName(PathKind kind);
std::string_view pathKindDoc(PathKind kind);

struct PathPiece {
    PathKind kind = PathKind::unrecorded;
    std::string name;
    SliceRef slice; // of the report that it is in; the slice invalid where nothing was recorded
    ProcessId process;
    int64_t length_ns = 0; // on the aligned axis
};

// The work of a collective that came last, by the work of another rank: where it is known and the clocks are
// tied.
using LastArrivals = std::map<SliceRef, SliceRef>;

struct WalkedPath {
    std::vector<PathPiece> pieces; // from the end to the begin; they follow one another
    int64_t recorded = 0;          // turns that the file states: launches, order within a stream
    int64_t inferred = 0; // turns taken as likely: which work a call waited for, other streams, last ranks
};

// range: of the report's clock. mark: the range on the host that is the step; its thread is where the walk
// begins, else whatever of the process ended last. O(pieces * (log rows + tracks of the process)).
WalkedPath walkPath(const AnalysisRequest& request, ReportKey report, ProcessId process, TimeRange range,
                    SliceId mark, const LastArrivals& arrivals, const Progress& progress);

} // namespace lockstep
