// SPDX-License-Identifier: Apache-2.0
// The memory analyses that list blocks by stack: memory_peak, memory_leaks and memory_diff.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

// The `memory_peak` analysis: the stacks that hold memory when the active memory of a device peaks, and the
// peak that would remain without each of the largest stacks.
Analysis memoryPeakAnalysis();

// The `memory_leaks` analysis: stacks whose blocks are never freed or whose memory grows from step to step,
// using the trend test from the NeMo RL profiling guide.
Analysis memoryLeaksAnalysis();

// The `memory_diff` analysis: memory growth by stack, between the first and the last memory snapshot in
// scope. If there is only one snapshot, shows the growth between its start and its end.
Analysis memoryDiffAnalysis();

} // namespace lockstep
