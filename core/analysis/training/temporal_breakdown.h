// SPDX-License-Identifier: Apache-2.0
// temporal_breakdown: how much of the time of each rank's GPUs went by idle, computing, and in neither, as
// HTA's get_temporal_breakdown defines it.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis temporalBreakdownAnalysis();

} // namespace lockstep
