// SPDX-License-Identifier: Apache-2.0
// LaunchOperation: what a SendRecv kernel does, from the ranges around its launch. NCCL carries all-to-alls,
// gathers, scatters and single sends in one kernel, and only the calling thread knows which. Made by
// collectivesOf() for one report; one thread.
// Source of the names: torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp ("nccl:all_to_all", "nccl:gather",
// ..., the titles given to collective()) and the operators of torch/csrc/distributed/c10d/Ops.cpp
// ("c10d::alltoall_base_", "c10d::alltoall_").
#pragma once

#include <map>
#include <string_view>

#include "core/trace/enclosing_ranges.h"
#include "core/trace/report.h"

namespace lockstep {

// "all_to_all", "gather", "scatter" or "all_gather", which the whole group takes part in; "" for every other
// range, sends and receives included: these stay an exchange of two.
std::string_view groupOperationOf(std::string_view range);

class LaunchOperation {
  public:
    // The report must outlive it and not change.
    explicit LaunchOperation(const Report& report);

    // The innermost range around the kernel's launch that names an operation of the whole group; invalid
    // where there is none, or no launch. O(tracks of the thread * log slices + depth).
    SliceId rangeOf(SliceId kernel);

  private:
    const Report& m_report;
    EnclosingRanges m_ranges;
    std::map<StringId, bool> m_isNamed; // of ranges met so far: whether the name is one
};

} // namespace lockstep
