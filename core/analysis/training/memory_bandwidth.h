// SPDX-License-Identifier: Apache-2.0
// memory_bandwidth: how fast copies and memsets moved memory, by direction, as HTA's get_memory_bw_summary.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis memoryBandwidthAnalysis();

} // namespace lockstep
