// SPDX-License-Identifier: Apache-2.0
// The `idle_breakdown` analysis: the cause of idle time on each stream between its kernels (the host, the
// next kernel, or something else), as in HTA's get_idle_time_breakdown.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis idleBreakdownAnalysis();

} // namespace lockstep
