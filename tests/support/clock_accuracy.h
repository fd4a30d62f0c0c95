// SPDX-License-Identifier: Apache-2.0
// Accuracy is the error of the alignment of a synthetic run, and whether the true values are within the
// claimed bounds.
#pragma once

#include <algorithm>
#include <cmath>

#include "core/align/alignment.h"
#include "tests/support/synthetic_clocks.h"

namespace lockstep::test {

inline size_t referenceOf(const Alignment& alignment)
{
    for (size_t i = 0; i < alignment.maps.slotCount(); ++i) {
        if (alignment.map(ReportKey(i)).method == AlignMethod::reference) return i;
    }
    return 0;
}

// Returns how far the report's aligned time is ahead of the reference's at one true time.
inline double errorAt(const SyntheticClocks& made, const Alignment& alignment, size_t report, double true_ns)
{
    const auto aligned = [&](size_t r) {
        return alignment.map(ReportKey(r)).alignedFromTrace(made.stampOf(r, true_ns));
    };
    return static_cast<double>((aligned(report) - aligned(referenceOf(alignment))).ns);
}

struct Accuracy {
    double worst_ns = 0;      // at the beginning, middle and end of the run
    bool isGuaranteed = true; // within the interval and error bound that the map claims
};

inline Accuracy accuracyOf(const SyntheticClocks& made, const Alignment& alignment, size_t report)
{
    Accuracy accuracy;
    const ClockMap& map = alignment.map(ReportKey(report));
    for (const double place : {-0.95, 0.0, 0.9}) {
        const double error = errorAt(made, alignment, report, place * made.halfLength_ns());
        accuracy.worst_ns = std::max(accuracy.worst_ns, std::abs(error));
        if (!map.bound_ns || std::abs(error) > static_cast<double>(*map.bound_ns) + 2)
            accuracy.isGuaranteed = false;
        if (place != 0) continue;
        const bool isInside = map.guaranteed &&
                              -error >= static_cast<double>(map.guaranteed->earliest_ns) - 2 &&
                              -error <= static_cast<double>(map.guaranteed->latest_ns) + 2;
        accuracy.isGuaranteed = accuracy.isGuaranteed && isInside;
    }
    return accuracy;
}

} // namespace lockstep::test
