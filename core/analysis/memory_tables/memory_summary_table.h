// SPDX-License-Identifier: Apache-2.0
// The analysis `memory_summary`: of each device of each memory snapshot its highest, mean and last levels,
// how well what is reserved is used, and why allocations failed.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis memorySummaryAnalysis();

} // namespace lockstep
