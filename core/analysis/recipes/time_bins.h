// SPDX-License-Identifier: Apache-2.0
// TimeBins: a range on the aligned axis, split into equal bins with nanosecond precision. The bins are the
// rows in recipes that show a quantity over time. Value type.
#pragma once

#include <algorithm>

#include "core/analysis/arguments.h"

namespace lockstep {

inline constexpr AnalysisArgument kBins{"bins", "number of equal bins", ArgumentType::whole, "30", "", 1,
                                        100'000};

struct TimeBins {
    TimeRange extent;
    int64_t count = 1;

    // Returns the requested number of bins, or fewer if bins would be shorter than a nanosecond.
    static TimeBins of(TimeRange extent, const ArgumentValues& arguments)
    {
        return {extent, std::min(arguments.whole(kBins.name), std::max<int64_t>(1, extent.length().ns))};
    }
    TraceTime edge(int64_t i) const
    {
        return {extent.begin.ns + static_cast<int64_t>(__int128(extent.length().ns) * i / count)};
    }
    TimeRange bin(int64_t i) const { return {edge(i), edge(i + 1)}; }
};

} // namespace lockstep
