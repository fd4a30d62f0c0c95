// SPDX-License-Identifier: Apache-2.0
// collectivesOf(): all NCCL operations of a report as Collective rows, rank by rank. Named groups come from
// the report's CollectiveOp column; communication kernels without a CollectiveOp are grouped by stream and
// matched by pattern.
#pragma once

#include "core/align/collective.h"
#include "core/trace/workspace.h"

namespace lockstep {

enum class CollectiveView : uint8_t {
    stated,  // by the recorded groups, or by kernel if no groups are recorded
    byKernel // only by kernel name and stream, which are the same for all profilers
};

// Returns one entry per rank of the report that has collectives. A rank is the report itself if its rank is
// known, otherwise each process with GPU work. A row recorded by a host range (NVTX) takes the timestamps of
// the first communication kernel launched inside the range, and is omitted if there is no such kernel. Pure;
// any thread. O(rows of GPU stream tracks).
std::vector<CollectiveRank> collectivesOf(const Report& report, ReportKey id);
// Uses the report's identity in the workspace, including edits.
std::vector<CollectiveRank> collectivesOf(const Workspace& workspace, ReportKey id,
                                          CollectiveView view = CollectiveView::stated);

} // namespace lockstep
