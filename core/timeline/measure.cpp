// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/measure.h"

#include <cmath>

#include "core/align/alignment_report.h"
#include "core/base/text.h"

namespace lockstep {

Measure measureBetween(const Alignment& alignment, ReportKey from, ReportKey to, Duration difference)
{
    const bool isOneClock = !from.isValid() || !to.isValid() || from == to;
    if (isOneClock) return {durationText(difference), {}};
    const PairError error = alignment.errorBetween(from, to);
    Measure out{differenceText(difference, error), {}};
    // Times on one clock are compared exactly, so the order is known even for a distance of 0.
    const bool isExact = error.likely_ns && *error.likely_ns == 0;
    if (isExact || isDecided(difference, error)) return out;
    const auto limit_ns = error.guaranteed_ns ? error.guaranteed_ns : error.likely_ns;
    out.why = limit_ns ? "within \u00B1 " + errorText(*limit_ns) + ": order unknown"
                       : std::string("these clocks are not aligned with each other: order unknown");
    return out;
}

Measure measureOf(const Alignment& alignment, const Selection& selection)
{
    if (!selection.range) return {};
    return measureBetween(alignment, selection.began, selection.ended, selection.range->length());
}

} // namespace lockstep
