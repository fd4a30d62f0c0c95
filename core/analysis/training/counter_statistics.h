// SPDX-License-Identifier: Apache-2.0
// The analyses that describe a quantity over time by its distribution: queue length and memory bandwidth.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

// The `queue_length` analysis: the number of operations on each stream that are launched but have not
// started, as in HTA's get_queue_length_summary.
Analysis queueLengthAnalysis();

// The `memory_bandwidth` analysis: bandwidth of copies and memsets by direction, as in HTA's
// get_memory_bw_summary.
Analysis memoryBandwidthAnalysis();

} // namespace lockstep
