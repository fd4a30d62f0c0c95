// SPDX-License-Identifier: Apache-2.0
// The `critical_path` analysis: what each training step waited for from start to end, by kind and name.
#pragma once

#include "core/analysis/table_columns.h"
#include "core/analysis/training/path_walk.h"

namespace lockstep {

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

Analysis criticalPathAnalysis();

} // namespace lockstep
