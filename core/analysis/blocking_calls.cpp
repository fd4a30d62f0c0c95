// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/blocking_calls.h"

#include <algorithm>
#include <array>
#include <span>

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

} // namespace lockstep
