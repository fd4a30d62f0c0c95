// SPDX-License-Identifier: Apache-2.0
// The `temporal_breakdown` analysis: the share of GPU time per rank that is idle, computing, or neither, as
// defined by HTA's get_temporal_breakdown.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis temporalBreakdownAnalysis();

} // namespace lockstep
