// SPDX-License-Identifier: Apache-2.0
// alignment: one row per report: its clock, how it was put on the common axis, and how far that can be
// trusted.
#pragma once

#include "core/analysis/analysis.h"

namespace lockstep {

Analysis alignmentAnalysis();

// How far a clock map can be trusted, in one word: "exact", "good", "fair", "wallclock", "none".
std::string_view alignConfidence(const ClockMap& map);
// The moments seen in both clocks that a map rests on: 1 for a stated wall clock, 0 where there is none.
int64_t anchorsUsed(const ClockMap& map);

} // namespace lockstep
