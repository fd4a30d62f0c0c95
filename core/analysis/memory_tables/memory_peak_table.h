// SPDX-License-Identifier: Apache-2.0
// The `memory_peak` analysis: the stacks that hold memory when the active memory of a device peaks, and the
// peak that would remain without each of the largest stacks.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis memoryPeakAnalysis();

} // namespace lockstep
