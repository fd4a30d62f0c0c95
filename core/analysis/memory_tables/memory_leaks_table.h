// SPDX-License-Identifier: Apache-2.0
// The analysis `memory_leaks`: stacks whose blocks are never freed, or whose memory grows from step to step,
// with the trend test of the NeMo RL profiling guide.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis memoryLeaksAnalysis();

} // namespace lockstep
