// SPDX-License-Identifier: Apache-2.0
// LaunchOperation: identifies the operation behind a SendRecv kernel by the ranges around its launch. NCCL
// uses the same kernel for all-to-all, gather, scatter and single sends; only the host ranges say which one
// it was. collectivesOf() creates one per report. Not thread-safe. Sources of the names: ProcessGroupNCCL.cpp
// ("nccl:all_to_all", "nccl:gather", ...) and Ops.cpp
// ("c10d::alltoall_base_", "c10d::alltoall_"), both in torch/csrc/distributed/c10d.
#pragma once

#include <map>
#include <string_view>

#include "core/trace/enclosing_ranges.h"
#include "core/trace/report.h"

namespace lockstep {

// "all_to_all", "gather", "scatter" or "all_gather" if the range has the name of such an operation, else "".
// Point-to-point ranges ("nccl:send 0->1") also give "".
std::string_view groupOperationOf(std::string_view range);

class LaunchOperation {
  public:
    // The report must outlive it and not change.
    explicit LaunchOperation(const Report& report);

    // The innermost range around the kernel's launch for which groupOperationOf() is not empty. Invalid if
    // there is none or the launch was not recorded. O(tracks of the thread * log slices + depth).
    SliceId rangeOf(SliceId kernel);

  private:
    const Report& m_report;
    EnclosingRanges m_ranges;
    std::map<StringId, bool> m_isNamed; // cache: whether groupOperationOf() knows the name
};

} // namespace lockstep
