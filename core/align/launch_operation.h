// SPDX-License-Identifier: Apache-2.0
// LaunchOperation: identifies the operation behind a SendRecv kernel by the ranges around its launch. NCCL
// uses the same kernel for all-to-all, gather, scatter and single sends; only the host ranges identify the
// operation. collectivesOf() creates one per report. Not thread-safe. Sources of the names:
// ProcessGroupNCCL.cpp ("nccl:all_to_all", "nccl:gather", ...) and Ops.cpp ("c10d::alltoall_base_",
// "c10d::alltoall_"), both in torch/csrc/distributed/c10d.
#pragma once

#include <map>
#include <string_view>

#include "core/trace/enclosing_ranges.h"
#include "core/trace/report.h"

namespace lockstep {

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

} // namespace lockstep
