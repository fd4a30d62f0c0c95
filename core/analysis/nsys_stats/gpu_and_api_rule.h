// SPDX-License-Identifier: Apache-2.0
// The rule that cuda_gpu_sum and cuda_api_gpu_sum share: each operation under its category and name.
#pragma once

#include "core/analysis/nsys_stats/operation_names.h"

namespace lockstep {

// Categories as nsys stats spells them: CUDA_KERNEL, MEMORY_OPER, CUDA_API. Calls count under their name
// alone, with those recorded once more for a backtrace, as nsys stats groups them in this table.
SummaryRule categorizedRule(RowKinds kinds, KernelNames names);
// Category and Operation.
std::vector<TableColumn> categoryColumns();

} // namespace lockstep
