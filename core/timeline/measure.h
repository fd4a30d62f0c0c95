// SPDX-License-Identifier: Apache-2.0
// Measure: a distance between two times for display. The distance is exact on one clock and has an error
// bound between two clocks. The order is unknown if the clocks are not accurate enough to show which time
// came first.
#pragma once

#include <string>

#include "core/align/alignment.h"
#include "core/timeline/selection.h"

namespace lockstep {

struct Measure {
    std::string text; // "12.3 µs" or "12.3 µs ± 4.1 µs"
    std::string why;  // "within ± 4.1 µs: order unknown"; empty if the order is known
    bool isDecided() const { return why.empty(); }
};

// Measures the distance between times in two reports. Times in the same report are on the same clock. An
// invalid report stands for the axis itself, on which every distance is exact.
Measure measureBetween(const Alignment& alignment, ReportKey from, ReportKey to, Duration difference);
// Measures the selected range, from the report in which the selection began to the one in which it ended.
// Returns an empty measure without a range.
Measure measureOf(const Alignment& alignment, const Selection& selection);

} // namespace lockstep
