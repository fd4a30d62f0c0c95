// SPDX-License-Identifier: Apache-2.0
// The analysis `memory_diff`: what grew, by stack: between the first and the last memory snapshot in scope,
// or between the begin and the end of the only one.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis memoryDiffAnalysis();

} // namespace lockstep
