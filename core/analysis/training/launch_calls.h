// SPDX-License-Identifier: Apache-2.0
// The calls that put one piece of work on a stream, by the names that HTA knows them by. Pure.
#pragma once

#include <string>
#include <string_view>

namespace lockstep {

inline constexpr std::string_view kLaunchCallsDoc = "calls that launch one piece of work";

// "cudaLaunchKernel", "cudaMemcpyAsync", "hipLaunchKernel" ..., with or without the "_v7000" of nsys.
bool isLaunchCall(std::string_view call);

// For TableSource::whenEmpty: why none of these rows of GPU work is listed.
std::string noLaunchCallText(size_t rows);

} // namespace lockstep
