// SPDX-License-Identifier: Apache-2.0
// The nsys stats reports that sum GPU work by name or operation and show more than durations.
#pragma once

#include "core/analysis/analysis.h"
#include "core/analysis/summary.h"

namespace lockstep {

// The cuda_gpu_kern_sum analysis: kernels grouped by name over all devices and processes, like the nsys stats
// report with this name.

// Returns the rows of the table cuda_gpu_kern_sum:base; the only label is the kernel's base name. The only
// possible error is `canceled`.
Result<std::vector<SummaryGroup>> kernelSums(const AnalysisRequest& request, const Progress& progress);

} // namespace lockstep
