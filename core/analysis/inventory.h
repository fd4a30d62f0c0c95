// SPDX-License-Identifier: Apache-2.0
// The `inventory` analysis: one row per input, whether opened or failed. Lists its format, identity and time
// range, the number of rows of each kind in the file (Report::rowCounts), and the number of rows that are not
// shown.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis inventoryAnalysis();

// Returns "2025-08-04T16:29:32.242076786Z" for a Unix-epoch timestamp.
std::string utcStampText(int64_t epoch_ns);

} // namespace lockstep
