// SPDX-License-Identifier: Apache-2.0
// The `memory_leaks` analysis: stacks whose blocks are never freed or whose memory grows from step to step,
// using the trend test from the NeMo RL profiling guide.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis memoryLeaksAnalysis();

} // namespace lockstep
