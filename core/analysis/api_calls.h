// SPDX-License-Identifier: Apache-2.0
// Recognizes API calls of CUDA, HIP and Ascend by their names, with or without nsys' suffix "_v3020": calls
// that can block the host, and calls that launch work. Pure.
#pragma once

#include <string>
#include <string_view>

namespace lockstep {

// Returns true for calls that return only after the device, a stream or an event has finished.
bool isSynchronizationCall(std::string_view name);
// Returns true for all copies, including asynchronous ones, which block if the memory is pageable.
bool isCopyCall(std::string_view name);

inline constexpr std::string_view kLaunchCallsDoc = "calls that launch one piece of work";

// Returns true for calls that launch one operation on a stream, by HTA's list of call names:
// "cudaLaunchKernel", "cudaMemcpyAsync", "hipLaunchKernel" ...
bool isLaunchCall(std::string_view name);
// Returns the sentence for TableSource::whenEmpty that explains why none of these rows of GPU work is listed.
std::string noLaunchCallText(size_t rows);

} // namespace lockstep
