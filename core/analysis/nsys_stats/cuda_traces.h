// SPDX-License-Identifier: Apache-2.0
// The nsys stats reports that list individual CUDA rows, sorted by start.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

// Number of rows that the streams of these tables visit per page.
inline constexpr size_t kTracePage_rows = 128 * 1024;

// The cuda_gpu_trace analysis: individual kernels, copies and memsets sorted by start, with launch
// configuration or bytes moved, like the nsys stats report with this name. Throughput is exact. nsys first
// divides 10^9 by the duration in integer arithmetic, so its values for long copies are too low.
Analysis cudaGpuTrace();

// The cuda_api_trace analysis: individual CUDA calls sorted by start, with their return values, like the nsys
// stats report with this name. Rows that were recorded a second time with a backtrace are listed in the same
// way as cuda_api_sum counts them.
Analysis cudaApiTrace();

// The cuda_kern_exec_trace analysis: kernels with the call that launched each, sorted by the start of the
// call, like the nsys stats report with this name. nsys lists a kernel twice if its call was also recorded
// with a backtrace.
Analysis cudaKernExecTrace();

} // namespace lockstep
