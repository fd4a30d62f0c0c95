// SPDX-License-Identifier: Apache-2.0
#include "core/readers/capture_spool/spool_carry.h"

#include <iterator>

namespace lockstep {

void SpoolCarry::addGap(TimeRange gap)
{
    if (gap.isEmpty()) return;
    gaps.push_back(gap);
    if (gaps.size() <= kMaxGaps) return;
    size_t nearest = 1;
    for (size_t i = 2; i < gaps.size(); ++i) {
        if (gaps[i].begin - gaps[i - 1].end < gaps[nearest].begin - gaps[nearest - 1].end) nearest = i;
    }
    gaps[nearest - 1].end = std::max(gaps[nearest - 1].end, gaps[nearest].end);
    gaps.erase(std::next(gaps.begin(), static_cast<std::ptrdiff_t>(nearest)));
}

} // namespace lockstep
