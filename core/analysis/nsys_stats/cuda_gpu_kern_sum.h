// SPDX-License-Identifier: Apache-2.0
// The cuda_gpu_kern_sum analysis: kernels grouped by name over all devices and processes, like the nsys stats
// report with this name.
#pragma once

#include "core/analysis/summary.h"

namespace lockstep {

// Returns the rows of the table cuda_gpu_kern_sum:base; the only label is the kernel's base name. The only
// possible error is `canceled`.
Result<std::vector<SummaryGroup>> kernelSums(const AnalysisRequest& request, const Progress& progress);

Analysis cudaGpuKernSum();

} // namespace lockstep
