// SPDX-License-Identifier: Apache-2.0
// Recognizes calls that launch one operation on a stream, by HTA's list of call names. Pure.
#pragma once

#include <string>
#include <string_view>

namespace lockstep {

inline constexpr std::string_view kLaunchCallsDoc = "calls that launch one piece of work";

// Returns true for "cudaLaunchKernel", "cudaMemcpyAsync", "hipLaunchKernel" ..., with or without nsys' suffix
// "_v7000".
bool isLaunchCall(std::string_view call);

// Returns the sentence for TableSource::whenEmpty that explains why none of these rows of GPU work is listed.
std::string noLaunchCallText(size_t rows);

} // namespace lockstep
