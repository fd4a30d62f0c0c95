// SPDX-License-Identifier: Apache-2.0
// The cuda_kern_exec_sum analysis: kernels with the calls that launched them. Lists the durations of the
// call, of the queueing and of the kernel, like the nsys stats report with this name.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis cudaKernExecSum();

} // namespace lockstep
