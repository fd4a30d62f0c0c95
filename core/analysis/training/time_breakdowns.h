// SPDX-License-Identifier: Apache-2.0
// The analyses that divide the time of each rank: by kind of work, by cause of idle time, by kernel, and by
// overlap of communication and computation.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

// The `temporal_breakdown` analysis: the share of GPU time per rank that is idle, computing, or neither, as
// defined by HTA's get_temporal_breakdown.
Analysis temporalBreakdownAnalysis();

// The `idle_breakdown` analysis: the cause of idle time on each stream between its kernels (the host, the
// next kernel, or something else), as in HTA's get_idle_time_breakdown.
Analysis idleBreakdownAnalysis();

// The `kernel_breakdown` analysis: GPU time by kernel class and overlap of classes, or by kernel name, as in
// HTA's get_gpu_kernel_breakdown.
Analysis kernelBreakdownAnalysis();

// The `comm_comp_overlap` analysis: the share of each rank's communication that overlaps computation, as
// defined by HTA's get_comm_comp_overlap, and the exposed share.
Analysis commCompOverlapAnalysis();

} // namespace lockstep
