// SPDX-License-Identifier: Apache-2.0
// cuda_kern_exec_sum: kernels with the calls that launched them: what the call took, how long the kernel was
// queued, how long it ran, as `nsys stats` lists them.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis cudaKernExecSum();

} // namespace lockstep
