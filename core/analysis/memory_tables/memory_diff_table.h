// SPDX-License-Identifier: Apache-2.0
// The `memory_diff` analysis: memory growth by stack, between the first and the last memory snapshot in
// scope. If there is only one snapshot, shows the growth between its start and its end.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis memoryDiffAnalysis();

} // namespace lockstep
