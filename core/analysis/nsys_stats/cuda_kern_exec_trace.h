// SPDX-License-Identifier: Apache-2.0
// cuda_kern_exec_trace: kernels with the call that launched each, by the start of the call, as the report of
// that name of nsys stats. That one lists a kernel twice where its call was recorded with a backtrace as
// well.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis cudaKernExecTrace();

} // namespace lockstep
