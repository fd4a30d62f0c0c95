// SPDX-License-Identifier: Apache-2.0
// Measure: a distance between two moments as it may be told: exact on one clock, with its error across
// clocks, and undecided where the clocks cannot tell which came first.
#pragma once

#include <string>

#include "core/align/alignment.h"
#include "core/timeline/selection.h"

namespace lockstep {

struct Measure {
    std::string text; // "12.3 µs" or "12.3 µs ± 4.1 µs"
    std::string why;  // "within ± 4.1 µs: order unknown"; empty when decided
    bool isDecided() const { return why.empty(); }
};

// Between a moment of one report and one of another; equal reports are one clock. Invalid reports stand for
// the axis itself, on which every distance is exact.
Measure measureBetween(const Alignment& alignment, ReportKey from, ReportKey to, Duration difference);
// Of the selected range, from the report it was begun in to the one it was ended in; empty without a range.
Measure measureOf(const Alignment& alignment, const Selection& selection);

} // namespace lockstep
