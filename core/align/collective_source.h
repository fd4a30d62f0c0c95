// SPDX-License-Identifier: Apache-2.0
// collectivesOf: every NCCL operation of a report as Collective rows, rank by rank. Named groups come from
// the report's CollectiveOp column; communication kernels without one are gathered by stream, to be matched
// by their pattern.
#pragma once

#include "core/align/collective.h"
#include "core/trace/workspace.h"

namespace lockstep {

enum class CollectiveView : uint8_t {
    stated,  // by the groups that the file states; by kernel where it states none
    byKernel // by kernel name and stream alone, which every tool writes alike
};

// Pure; any thread. One entry per rank of the report that has collectives: the report itself when its rank is
// known, else each process with GPU work. A row stated by a host range (NVTX) takes the stamps of the first
// communication kernel launched inside it, and is left out when there is none. O(rows of GPU stream tracks).
std::vector<CollectiveRank> collectivesOf(const Report& report, ReportKey id);
// The same with whose the report is as the workspace knows it, corrections included.
std::vector<CollectiveRank> collectivesOf(const Workspace& workspace, ReportKey id,
                                          CollectiveView view = CollectiveView::stated);

} // namespace lockstep
