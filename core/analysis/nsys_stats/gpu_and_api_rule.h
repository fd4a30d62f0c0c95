// SPDX-License-Identifier: Apache-2.0
// The rule shared by cuda_gpu_sum and cuda_api_gpu_sum, which lists each operation under its category and
// name.
#pragma once

#include "core/analysis/nsys_stats/operation_names.h"

namespace lockstep {

// Categories are spelled as in nsys stats: CUDA_KERNEL, MEMORY_OPER, CUDA_API. As in nsys stats, calls in
// this table are grouped only by name, including calls that were recorded a second time with a backtrace.
SummaryRule categorizedRule(RowKinds kinds, KernelNames names);
// Returns the columns Category and Operation.
std::vector<TableColumn> categoryColumns();

} // namespace lockstep
