// SPDX-License-Identifier: Apache-2.0
#include "core/base/interval_set.h"

#include <algorithm>

namespace lockstep {

IntervalSet IntervalSet::unionOf(std::vector<TimeRange> ranges)
{
    std::erase_if(ranges, [](const TimeRange& range) { return range.isEmpty(); });
    if (!std::ranges::is_sorted(ranges, {}, &TimeRange::begin))
        std::ranges::sort(ranges, {}, &TimeRange::begin);
    size_t kept = 0;
    for (const TimeRange& range : ranges) {
        if (kept > 0 && range.begin <= ranges[kept - 1].end) {
            ranges[kept - 1].end = std::max(ranges[kept - 1].end, range.end);
        } else {
            ranges[kept++] = range;
        }
    }
    ranges.resize(kept);
    IntervalSet out;
    out.m_ranges = std::move(ranges);
    return out;
}

Duration IntervalSet::length() const
{
    Duration length{0};
    for (const TimeRange& range : m_ranges)
        length.ns += range.length().ns;
    return length;
}

Duration IntervalSet::lengthWithin(TimeRange range) const
{
    Duration length{0};
    auto at = std::ranges::upper_bound(m_ranges, range.begin, {}, &TimeRange::end);
    for (; at != m_ranges.end() && at->begin < range.end; ++at)
        length.ns += at->clippedTo(range).length().ns;
    return length;
}

TimeRange IntervalSet::extent() const
{
    return m_ranges.empty() ? TimeRange{} : TimeRange{m_ranges.front().begin, m_ranges.back().end};
}

IntervalSet IntervalSet::gaps() const
{
    IntervalSet out;
    for (size_t i = 1; i < m_ranges.size(); ++i)
        out.m_ranges.push_back({m_ranges[i - 1].end, m_ranges[i].begin});
    return out;
}

IntervalSet IntervalSet::intersectedWith(const IntervalSet& other) const
{
    IntervalSet out;
    for (size_t i = 0, j = 0; i < m_ranges.size() && j < other.m_ranges.size();) {
        const TimeRange& a = m_ranges[i];
        const TimeRange& b = other.m_ranges[j];
        if (a.overlaps(b)) out.m_ranges.push_back(a.clippedTo(b));
        (a.end < b.end ? i : j) += 1;
    }
    return out;
}

IntervalSet IntervalSet::without(const IntervalSet& other) const
{
    IntervalSet out;
    size_t j = 0;
    for (TimeRange left : m_ranges) {
        while (j < other.m_ranges.size() && other.m_ranges[j].end <= left.begin)
            ++j;
        for (size_t k = j; k < other.m_ranges.size() && other.m_ranges[k].begin < left.end; ++k) {
            if (left.begin < other.m_ranges[k].begin)
                out.m_ranges.push_back({left.begin, other.m_ranges[k].begin});
            left.begin = std::min(left.end, other.m_ranges[k].end);
        }
        if (left.begin < left.end) out.m_ranges.push_back(left);
    }
    return out;
}

} // namespace lockstep
