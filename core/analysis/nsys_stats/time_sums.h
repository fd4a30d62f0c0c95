// SPDX-License-Identifier: Apache-2.0
// The reports of nsys stats that are sums of durations by name and nothing else, each one description: which
// rows count and what names them. Their columns are Time, Total Time, a count, Avg, Med, Min, Max and StdDev,
// then the names.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis cudaGpuMemTimeSum(); // copies and memsets by operation
Analysis cudaGpuSum();        // kernels, copies and memsets with one base of percentages
// CUDA runtime and driver calls by name. Every row of CUPTI_ACTIVITY_KIND_RUNTIME counts, whatever its
// eventClass, as in the versions of nsys stats that could be looked into: 2021, 2022.4 and 2023.4. So a call
// recorded with its backtrace (eventClass 67) is there twice; the second row has "[backtrace]" behind its
// name here, and the table's rules say so.
Analysis cudaApiSum();
Analysis cudaApiGpuSum(); // CUDA calls, kernels, copies and memsets with one base of percentages
// OS runtime calls by name: rows of OSRT_API with eventClass 27 (so in 2022.4 and 2023.4), not the marks of
// where nsys began and ended to watch.
Analysis osrtSum();
// Calls of a library by name: those that stand in its tables of an export.
Analysis cudnnApiSum();
Analysis cublasApiSum();
Analysis mpiEventSum();

} // namespace lockstep
