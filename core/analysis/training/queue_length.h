// SPDX-License-Identifier: Apache-2.0
// queue_length: how much work lay launched and not yet begun on each stream, as HTA's
// get_queue_length_summary.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis queueLengthAnalysis();

} // namespace lockstep
