// SPDX-License-Identifier: Apache-2.0
// The cuda_kern_exec_trace analysis: kernels with the call that launched each, sorted by the start of the
// call, like the nsys stats report with this name. nsys lists a kernel twice if its call was also recorded
// with a backtrace.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis cudaKernExecTrace();

} // namespace lockstep
