// SPDX-License-Identifier: Apache-2.0
// inventory: one row per input, opened or failed: what it is, whose it is, what it covers, how many rows of
// each kind the file holds (Report::rowCounts), and how much of it is not shown.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis inventoryAnalysis();

// "2025-08-04T16:29:32.242076786Z" of a Unix-epoch stamp.
std::string utcStampText(int64_t epoch_ns);

} // namespace lockstep
