// SPDX-License-Identifier: Apache-2.0
// cuda_api_trace: CUDA calls one by one by their start, with what each returned, as the report of that name
// of nsys stats. Rows recorded once more with a backtrace are listed as cuda_api_sum counts them.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis cudaApiTrace();

} // namespace lockstep
