// SPDX-License-Identifier: Apache-2.0
// The cuda_api_trace analysis: individual CUDA calls sorted by start, with their return values, like the nsys
// stats report with this name. Rows that were recorded a second time with a backtrace are listed in the same
// way as cuda_api_sum counts them.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis cudaApiTrace();

} // namespace lockstep
