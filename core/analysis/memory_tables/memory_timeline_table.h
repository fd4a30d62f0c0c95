// SPDX-License-Identifier: Apache-2.0
// The `memory_timeline` analysis: active, allocated, requested and reserved memory over time for each device
// in each memory snapshot, either as 1000 points that preserve every peak, or with one row per history entry.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis memoryTimelineAnalysis();

} // namespace lockstep
