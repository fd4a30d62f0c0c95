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

Analysis cudaGpuKernSum();

// The cuda_gpu_kern_gb_sum analysis: kernels grouped by name, grid and block, like the nsys stats report with
// this name.
Analysis cudaGpuKernGbSum();

// The cuda_kern_exec_sum analysis: kernels with the calls that launched them. Lists the durations of the
// call, of the queueing and of the kernel, like the nsys stats report with this name.
Analysis cudaKernExecSum();

// The cuda_gpu_mem_size_sum analysis: bytes moved by copies and memsets, by operation, like the nsys stats
// report with this name. 1 MB is 10^6 bytes. Operations without a recorded size are excluded; the table's
// rules state their number.
Analysis cudaGpuMemSizeSum();

// The um_sum analysis: unified-memory transfers between host and device and page faults, by virtual address
// of the pages, like the nsys stats report with this name. Throughput is exact, as in cuda_gpu_trace.
Analysis umSum();

} // namespace lockstep
