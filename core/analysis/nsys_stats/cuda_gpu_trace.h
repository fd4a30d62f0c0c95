// SPDX-License-Identifier: Apache-2.0
// cuda_gpu_trace: kernels, copies and memsets one by one by their start, with what each was launched with or
// moved, as the report of that name of nsys stats. Throughput is exact where that of nsys divides 10^9 by the
// duration in whole numbers first: its figures for long copies are low, and more so the longer they are.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis cudaGpuTrace();

} // namespace lockstep
