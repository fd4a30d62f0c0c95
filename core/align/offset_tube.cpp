// SPDX-License-Identifier: Apache-2.0
#include "core/align/offset_tube.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace lockstep {

namespace {

constexpr double kSecond = 1e9;
// number of knots on both sides of a segment
constexpr std::array<size_t, 8> kSpans{0, 1, 2, 4, 8, 16, 32, 64};
constexpr int kSweeps = 2;

// Returns the largest difference between the rate at one time and the mean rate over a span that contains
// this time: half the length of the span times the wander. The difference is reached at the ends of the span
// if the rate changes steadily.
double maxRateChange(double span)
{
    return kMaxRateDrift * span / kSecond / 2;
}

bool canFollow(const OffsetLimit& a, const OffsetLimit& b)
{
    const double reach = kMaxRate * static_cast<double>(b.at_ns - a.at_ns);
    const auto above = static_cast<double>(b.least_ns - a.greatest_ns);
    const auto below = static_cast<double>(a.least_ns - b.greatest_ns);
    return above <= reach && below <= reach;
}

} // namespace

// A bound that is inconsistent with both neighbors is wrong if the neighbors are consistent with each other.
// If they are not, there is a break.
void OffsetTube::dropOutliers(std::vector<OffsetLimit>& limits)
{
    std::vector<OffsetLimit> kept;
    for (size_t i = 0; i < limits.size(); ++i) {
        const bool isBetween = !kept.empty() && i + 1 < limits.size();
        if (isBetween && !canFollow(kept.back(), limits[i]) && !canFollow(limits[i], limits[i + 1]) &&
            canFollow(kept.back(), limits[i + 1])) {
            ++m_outliers;
            continue;
        }
        kept.push_back(limits[i]);
    }
    limits = std::move(kept);
}

OffsetTube::OffsetTube(std::vector<OffsetLimit> limits)
{
    if (limits.empty()) return;
    std::ranges::sort(limits, {}, [](const OffsetLimit& l) { return std::pair(l.at_ns, l.least_ns); });
    dropOutliers(limits);
    m_origin_ns = limits.front().at_ns;
    m_base_ns = limits.front().least_ns;
    for (const OffsetLimit& limit : limits) {
        m_knots.push_back({static_cast<double>(limit.at_ns - m_origin_ns),
                           static_cast<double>(limit.least_ns - m_base_ns),
                           static_cast<double>(limit.greatest_ns - m_base_ns), -kMaxRate, kMaxRate, false});
    }
    size_t begin = 0;
    for (size_t i = 0; i < limits.size(); ++i) {
        const bool isLast = i + 1 == limits.size();
        if (!isLast && canFollow(limits[i], limits[i + 1])) continue;
        tightenSegment(begin, i + 1);
        begin = i + 1;
        if (isLast) continue;
        m_knots[i].isBeforeBreak = true;
        m_breaks.emplace_back(limits[i].at_ns, limits[i + 1].at_ns);
    }
    for (const Knot& knot : m_knots)
        m_widening = std::max(m_widening, knot.isBeforeBreak ? 0 : knot.fastest - knot.slowest);
}

// Bounds the rate between neighboring knots by the mean rates over increasingly long spans.
void OffsetTube::limitRates(size_t begin, size_t end)
{
    for (size_t i = begin; i + 1 < end; ++i) {
        Knot& knot = m_knots[i];
        for (const size_t reach : kSpans) {
            const Knot& first = m_knots[i - std::min(i - begin, reach)];
            const Knot& last = m_knots[std::min(end - 1, i + 1 + reach)];
            const double span = last.at - first.at;
            if (span <= 0) continue;
            const double rateChange = maxRateChange(span);
            knot.slowest = std::max(knot.slowest, (last.least - first.greatest) / span - rateChange);
            knot.fastest = std::min(knot.fastest, (last.greatest - first.least) / span + rateChange);
        }
    }
    if (end - begin > 1) {
        m_knots[end - 1].slowest = m_knots[end - 2].slowest;
        m_knots[end - 1].fastest = m_knots[end - 2].fastest;
    }
}

// Propagates bounds from each knot to the next and the previous knot. Returns false if a knot has no possible
// value left.
bool OffsetTube::propagate(size_t begin, size_t end)
{
    for (size_t i = begin; i + 1 < end; ++i) {
        const Knot& from = m_knots[i];
        Knot& to = m_knots[i + 1];
        const double distance = to.at - from.at;
        to.least = std::max(to.least, from.least + from.slowest * distance);
        to.greatest = std::min(to.greatest, from.greatest + from.fastest * distance);
    }
    for (size_t i = end; i-- > begin + 1;) {
        const Knot& from = m_knots[i];
        Knot& to = m_knots[i - 1];
        const double distance = from.at - to.at;
        to.least = std::max(to.least, from.least - to.fastest * distance);
        to.greatest = std::min(to.greatest, from.greatest - to.slowest * distance);
    }
    return std::all_of(m_knots.begin() + static_cast<std::ptrdiff_t>(begin),
                       m_knots.begin() + static_cast<std::ptrdiff_t>(end), [](const Knot& k) {
                           return k.least <= k.greatest + 1 && k.slowest <= k.fastest + 1e-12;
                       });
}

void OffsetTube::tightenSegment(size_t begin, size_t end)
{
    const std::vector<Knot> asMeasured(m_knots.begin() + static_cast<std::ptrdiff_t>(begin),
                                       m_knots.begin() + static_cast<std::ptrdiff_t>(end));
    bool isConsistent = true;
    for (int sweep = 0; sweep < kSweeps && isConsistent; ++sweep) {
        limitRates(begin, end);
        isConsistent = propagate(begin, end);
    }
    if (isConsistent) return;
    // The clocks wandered more than assumed, so only the measurements are used.
    m_isUnstable = true;
    std::ranges::copy(asMeasured, m_knots.begin() + static_cast<std::ptrdiff_t>(begin));
}

// Beyond the outermost knot, uses the rate of the nearest segment with increasing uncertainty. The wander is
// counted from the far end of the segment.
double OffsetTube::extrapolatedLow(const Knot& knot, double distance, bool isAhead) const
{
    const double rateChange = kMaxRateDrift * distance / kSecond;
    const double rate = isAhead ? std::max(-kMaxRate, knot.slowest - rateChange)
                                : -std::min(kMaxRate, knot.fastest + rateChange);
    return knot.least + rate * distance;
}

double OffsetTube::extrapolatedHigh(const Knot& knot, double distance, bool isAhead) const
{
    const double rateChange = kMaxRateDrift * distance / kSecond;
    const double rate = isAhead ? std::min(kMaxRate, knot.fastest + rateChange)
                                : -std::max(-kMaxRate, knot.slowest - rateChange);
    return knot.greatest + rate * distance;
}

OffsetRange OffsetTube::at(int64_t at_ns) const
{
    const auto at = static_cast<double>(at_ns - m_origin_ns);
    const auto next = std::ranges::upper_bound(m_knots, at, {}, &Knot::at);
    double least = 0, greatest = 0;
    if (next == m_knots.begin()) {
        least = extrapolatedLow(*next, next->at - at, false);
        greatest = extrapolatedHigh(*next, next->at - at, false);
    } else if (const Knot& before = *(next - 1); next == m_knots.end()) {
        least = extrapolatedLow(before, at - before.at, true);
        greatest = extrapolatedHigh(before, at - before.at, true);
    } else if (before.isBeforeBreak) {
        // The bounds come from both sides of the break, because the exact time of the break is unknown.
        const double left = kMaxRate * (at - before.at), right = kMaxRate * (next->at - at);
        least = std::min(before.least - left, next->least - right);
        greatest = std::max(before.greatest + left, next->greatest + right);
    } else {
        const double left = at - before.at, right = next->at - at;
        least = std::max(before.least + before.slowest * left, next->least - before.fastest * right);
        greatest = std::min(before.greatest + before.fastest * left, next->greatest - before.slowest * right);
    }
    return {m_base_ns + static_cast<int64_t>(std::floor(least)),
            m_base_ns + static_cast<int64_t>(std::ceil(greatest))};
}

int64_t OffsetTube::medianHalfWidth_ns() const
{
    std::vector<double> widths;
    for (const Knot& knot : m_knots)
        widths.push_back(knot.greatest - knot.least);
    if (widths.empty()) return 0;
    const auto middle = widths.begin() + static_cast<std::ptrdiff_t>(widths.size() / 2);
    std::ranges::nth_element(widths, middle);
    return static_cast<int64_t>(std::ceil(*middle / 2));
}

} // namespace lockstep
