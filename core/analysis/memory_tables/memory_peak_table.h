// SPDX-License-Identifier: Apache-2.0
// The analysis `memory_peak`: what held memory when a device had most of it active, by the stacks that
// allocated it, and what the peak would be without each of the largest.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis memoryPeakAnalysis();

} // namespace lockstep
