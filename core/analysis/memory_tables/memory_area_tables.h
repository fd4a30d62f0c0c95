// SPDX-License-Identifier: Apache-2.0
// The memory analyses that show amounts over time: memory_summary and memory_timeline.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

// The `memory_summary` analysis: peak, mean and final memory levels for each device in each memory snapshot,
// the efficiency of reserved memory, and the reasons for failed allocations.
Analysis memorySummaryAnalysis();

// The `memory_timeline` analysis: active, allocated, requested and reserved memory over time for each device
// in each memory snapshot, either as 1000 points that preserve every peak, or with one row per history entry.
Analysis memoryTimelineAnalysis();

} // namespace lockstep
