// SPDX-License-Identifier: Apache-2.0
#include "core/compare/difference_strip.h"

#include <algorithm>

#include "core/timeline/pixel_scale.h"

namespace lockstep {

namespace {

Duration roundScale(Duration most)
{
    int64_t scale = 1;
    for (int64_t power = 1; scale < most.ns; power *= 10) {
        for (const int64_t digit : {1, 2, 5}) {
            scale = digit * power;
            if (scale >= most.ns) break;
        }
    }
    return {scale};
}

} // namespace

DifferenceStrip layOutDifference(const SlicePairs& pairs, TimeRange visible, int width)
{
    DifferenceStrip out;
    if (width <= 0 || visible.isEmpty()) return out;
    const PixelScale scale(visible, width);
    std::vector<DifferenceColumn> columns(static_cast<size_t>(width));
    for (const PairedLane& lane : pairs.lanes) {
        const auto begin = pairs.pairs.begin() + static_cast<std::ptrdiff_t>(lane.first);
        const auto end = begin + static_cast<std::ptrdiff_t>(lane.count);
        auto at = std::ranges::lower_bound(begin, end, visible.begin, {}, &SlicePair::at);
        for (; at != end && at->at < visible.end; ++at) {
            DifferenceColumn& column =
                columns[static_cast<size_t>(std::min(scale.pixelOf(at->at), width - 1))];
            column.both += at->isBoth() ? 1 : 0;
            column.missing += at->isMissing() ? 1 : 0;
            column.added += at->isNew() ? 1 : 0;
            column.latest = std::max(column.latest, at->later);
            column.earliest = std::min(column.earliest, at->later);
        }
    }
    Duration most{1};
    for (size_t x = 0; x < columns.size(); ++x) {
        DifferenceColumn& column = columns[x];
        if (column.both + column.missing + column.added == 0) continue;
        column.x = static_cast<uint16_t>(x);
        most = std::max({most, column.latest, -column.earliest});
        out.columns.push_back(column);
    }
    out.scale = roundScale(most);
    return out;
}

} // namespace lockstep
