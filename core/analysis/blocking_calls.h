// SPDX-License-Identifier: Apache-2.0
// Recognizes API calls of CUDA, HIP and Ascend that can block the host, by their names, with or without nsys'
// suffix "_v3020". Pure.
#pragma once

#include <string_view>

namespace lockstep {

// Returns true for calls that return only after the device, a stream or an event has finished.
bool isSynchronizationCall(std::string_view name);
// Returns true for all copies, including asynchronous ones, which block if the memory is pageable.
bool isCopyCall(std::string_view name);

} // namespace lockstep
