// SPDX-License-Identifier: Apache-2.0
// The `queue_length` analysis: the number of operations on each stream that are launched but have not
// started, as in HTA's get_queue_length_summary.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis queueLengthAnalysis();

} // namespace lockstep
