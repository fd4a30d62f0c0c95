// SPDX-License-Identifier: Apache-2.0
// idle_breakdown: what each stream waited for between its kernels: the host, the next kernel, or something
// else, as HTA's get_idle_time_breakdown.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis idleBreakdownAnalysis();

} // namespace lockstep
