// SPDX-License-Identifier: Apache-2.0
// The `alignment` analysis: one row per report, with the report's clock, its alignment method and the quality
// of the alignment.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis alignmentAnalysis();

// Returns the confidence of a clock map in one word: "exact", "good", "fair", "wallclock", "none".
std::string_view alignConfidence(const ClockMap& map);
// Returns the number of common points in time on which a map is based: 1 for a recorded wall clock, 0 if
// there is none.
int64_t anchorsUsed(const ClockMap& map);

} // namespace lockstep
