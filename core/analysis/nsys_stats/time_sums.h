// SPDX-License-Identifier: Apache-2.0
// The nsys stats reports that only sum durations by name. Each report is one description that specifies which
// rows are counted and under which name. The columns are Time, Total Time, a count, Avg, Med, Min, Max and
// StdDev, then the names.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis cudaGpuMemTimeSum(); // copies and memsets by operation
Analysis cudaGpuSum();        // kernels, copies and memsets; percentages are relative to the total of all
                              // three
// CUDA runtime and driver calls by name. Every row in CUPTI_ACTIVITY_KIND_RUNTIME is counted, regardless of
// its eventClass, as in the nsys stats versions that were checked: 2021, 2022.4 and 2023.4. A call that was
// recorded with its backtrace (eventClass 67) therefore occurs twice. In this table, the name of the second
// row ends in "[backtrace]", and the rules mention such calls.
Analysis cudaApiSum();
Analysis cudaApiGpuSum(); // CUDA calls, kernels, copies and memsets; percentages are relative to the total of
                          // all four
// OS runtime calls by name: rows in OSRT_API with eventClass 27 (as in 2022.4 and 2023.4), except those that
// mark the start and end of tracing.
Analysis osrtSum();
// Calls to a library by name, from that library's tables in an nsys export.
Analysis cudnnApiSum();
Analysis cublasApiSum();
Analysis mpiEventSum();

} // namespace lockstep
