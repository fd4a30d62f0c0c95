// SPDX-License-Identifier: Apache-2.0
// collectivesOf(): all NCCL operations of a report as Collective rows, rank by rank. Named groups come from
// the report's CollectiveOp column; communication kernels without a CollectiveOp are grouped by stream and
// matched by pattern.
#pragma once

#include <map>
#include <string_view>

#include "core/align/collective.h"
#include "core/trace/enclosing_ranges.h"
#include "core/trace/report.h"
#include "core/trace/workspace.h"

namespace lockstep {

// LaunchOperation: identifies the operation behind a SendRecv kernel by the ranges around its launch. NCCL
// uses the same kernel for all-to-all, gather, scatter and single sends; only the host ranges identify the
// operation. collectivesOf() creates one per report. Not thread-safe. Sources of the names:
// ProcessGroupNCCL.cpp ("nccl:all_to_all", "nccl:gather", ...) and Ops.cpp ("c10d::alltoall_base_",
// "c10d::alltoall_"), both in torch/csrc/distributed/c10d.

// Returns "all_to_all", "gather", "scatter" or "all_gather" if the range has the name of such an operation,
// otherwise "". Returns "" for point-to-point ranges ("nccl:send 0->1").
std::string_view groupOperationOf(std::string_view range);

class LaunchOperation {
  public:
    // The report must outlive this object and not change.
    explicit LaunchOperation(const Report& report);

    // Returns the innermost range that contains the kernel's launch and for which groupOperationOf() is not
    // empty. Invalid if there is no such range or the launch was not recorded. O(tracks of the thread * log
    // slices + depth).
    SliceId rangeOf(SliceId kernel);

  private:
    const Report& m_report;
    EnclosingRanges m_ranges;
    std::map<StringId, bool> m_isNamed; // cache of groupOperationOf() results
};

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
