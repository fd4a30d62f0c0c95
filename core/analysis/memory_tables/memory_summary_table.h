// SPDX-License-Identifier: Apache-2.0
// The `memory_summary` analysis: peak, mean and final memory levels for each device in each memory snapshot,
// the efficiency of reserved memory, and the reasons for failed allocations.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis memorySummaryAnalysis();

} // namespace lockstep
