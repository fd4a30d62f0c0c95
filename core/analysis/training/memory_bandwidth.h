// SPDX-License-Identifier: Apache-2.0
// The `memory_bandwidth` analysis: bandwidth of copies and memsets by direction, as in HTA's
// get_memory_bw_summary.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis memoryBandwidthAnalysis();

} // namespace lockstep
