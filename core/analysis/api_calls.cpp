// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/api_calls.h"

#include <algorithm>
#include <array>
#include <span>

#include "core/analysis/empty_table.h"
#include "core/analysis/nsys_stats/operation_names.h"

namespace lockstep {

namespace {

constexpr std::array<std::string_view, 11> kSynchronizations{
    "cudaDeviceSynchronize", "cudaStreamSynchronize",  "cudaEventSynchronize",  "cuCtxSynchronize",
    "cuStreamSynchronize",   "cuEventSynchronize",     "hipDeviceSynchronize",  "hipStreamSynchronize",
    "hipEventSynchronize",   "aclrtSynchronizeStream", "aclrtSynchronizeDevice"};
constexpr std::array<std::string_view, 4> kCopies{"cudaMemcpy", "cuMemcpy", "hipMemcpy", "aclrtMemcpy"};

bool startsWithAny(std::string_view name, std::span<const std::string_view> prefixes)
{
    return std::ranges::any_of(prefixes, [&](std::string_view prefix) { return name.starts_with(prefix); });
}

} // namespace

bool isSynchronizationCall(std::string_view name)
{
    return startsWithAny(name, kSynchronizations);
}

bool isCopyCall(std::string_view name)
{
    return startsWithAny(name, kCopies);
}

bool isLaunchCall(std::string_view name)
{
    constexpr std::array<std::string_view, 11> kCalls{
        "cudaLaunchKernel", "cudaLaunchKernelExC", "cuLaunchKernel",     "cuLaunchKernelEx",
        "cudaMemcpyAsync",  "cudaMemsetAsync",     "hipLaunchKernel",    "hipExtModuleLaunchKernel",
        "hipMemcpyAsync",   "hipMemsetAsync",      "hipMemcpyWithStream"};
    return std::ranges::find(kCalls, apiNameWithoutVersion(name)) != kCalls.end();
}

std::string noLaunchCallText(size_t rows)
{
    return noneInScopeText("rows of GPU work", rows) +
           " has a recorded launch call, such as cudaLaunchKernel or cudaMemcpyAsync.";
}

} // namespace lockstep
