// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/training/launch_calls.h"

#include <algorithm>
#include <array>

#include "core/analysis/empty_table.h"
#include "core/analysis/nsys_stats/operation_names.h"

namespace lockstep {

bool isLaunchCall(std::string_view call)
{
    constexpr std::array<std::string_view, 11> kCalls{
        "cudaLaunchKernel", "cudaLaunchKernelExC", "cuLaunchKernel",     "cuLaunchKernelEx",
        "cudaMemcpyAsync",  "cudaMemsetAsync",     "hipLaunchKernel",    "hipExtModuleLaunchKernel",
        "hipMemcpyAsync",   "hipMemsetAsync",      "hipMemcpyWithStream"};
    return std::ranges::find(kCalls, apiNameWithoutVersion(call)) != kCalls.end();
}

std::string noLaunchCallText(size_t rows)
{
    return noneInScopeText("rows of GPU work", rows) +
           " has a recorded launch call, such as cudaLaunchKernel or cudaMemcpyAsync.";
}

} // namespace lockstep
