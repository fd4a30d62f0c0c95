// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/axis_folds.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/text.h"

namespace lockstep {

namespace {

double lengthIn_ns(TimeRange range)
{
    return static_cast<double>(range.length().ns);
}

} // namespace

std::vector<TimeRange> gapsOf(const QuietTime& quiet, const GapRule& rule)
{
    if (!rule.isOn) return {};
    const double steps = quiet.medianStep ? rule.steps * static_cast<double>(quiet.medianStep->ns) : 0;
    std::vector<TimeRange> gaps;
    for (const TimeRange& range : quiet.ranges) {
        if (range.length() > rule.least && lengthIn_ns(range) > steps) gaps.push_back(range);
    }
    if (gaps.size() > kMaxGaps) {
        std::ranges::nth_element(gaps, gaps.begin() + kMaxGaps, std::greater<>(), &TimeRange::length);
        gaps.resize(kMaxGaps);
        std::ranges::sort(gaps, {}, &TimeRange::begin);
    }
    return gaps;
}

std::string gapText(Duration length)
{
    constexpr int64_t kSecond_ns = 1'000'000'000;
    const int64_t seconds = std::max<int64_t>(0, length.ns + kSecond_ns / 2) / kSecond_ns;
    if (seconds >= 3'600) return durationText({seconds * kSecond_ns});
    if (seconds < 60) return std::to_string(seconds) + " s";
    const std::string minutes = std::to_string(seconds / 60) + " min";
    return seconds % 60 == 0 ? minutes : minutes + " " + std::to_string(seconds % 60) + " s";
}

AxisFolds::AxisFolds(std::vector<TimeRange> gaps, TimeRange extent, double part)
    : m_gaps(std::move(gaps)), m_part(std::clamp(part, 0.0, 0.2))
{
    double open = lengthIn_ns(extent);
    for (const TimeRange& gap : m_gaps)
        open -= lengthIn_ns(gap);
    m_most_ns = m_gaps.empty() ? 0 : std::max(1.0, open) / static_cast<double>(m_gaps.size());
}

const TimeRange* AxisFolds::at(TraceTime time) const
{
    const auto gap = firstAfter(time);
    return gap != m_gaps.end() && gap->begin <= time ? &*gap : nullptr;
}

std::vector<TimeRange>::const_iterator AxisFolds::firstAfter(TraceTime t) const
{
    return std::ranges::upper_bound(m_gaps, t, {}, &TimeRange::end);
}

double AxisFolds::mostOf(TimeRange gap) const
{
    return std::min(m_most_ns, lengthIn_ns(gap));
}

double AxisFolds::bandOf(TimeRange gap, double zoom) const
{
    return std::min(m_part * zoom, mostOf(gap));
}

// Solves z = open time + sum of the visible bands for the zoom z. A band is as long as the smaller of m_part
// * z and its maximum, so the right side is piecewise linear and concave in z. The bands are sorted by
// maximum and moved, one by one, from the part that grows with z to the fixed part, until the solution of the
// linear equation does not exceed the maxima of the growing bands. O(gaps log gaps).
double AxisFolds::lengthOf(TimeRange visible) const
{
    double fixed = lengthIn_ns(visible), growing = 0; // z = fixed + growing * m_part * z
    std::vector<std::pair<double, double>> bands;     // maximum of each band, and the visible fraction of the
                                                      // band
    for (auto gap = firstAfter(visible.begin); gap != m_gaps.end() && gap->begin < visible.end; ++gap) {
        const double visiblePart = lengthIn_ns(gap->clippedTo(visible));
        fixed -= visiblePart;
        const double share = visiblePart / lengthIn_ns(*gap);
        bands.emplace_back(mostOf(*gap), share);
        growing += share;
    }
    std::ranges::sort(bands);
    for (const auto& [most, share] : bands) {
        const double rest = 1 - growing * m_part;
        if (rest > 0 && fixed / rest * m_part <= most) return fixed / rest;
        fixed += share * most;
        growing -= share;
    }
    return fixed;
}

double AxisFolds::distance(TraceTime from, TraceTime to, double zoom) const
{
    if (to < from) return -distance(to, from, zoom);
    double out = static_cast<double>((to - from).ns);
    for (auto gap = firstAfter(from); gap != m_gaps.end() && gap->begin < to; ++gap) {
        const double inside = lengthIn_ns(gap->clippedTo({from, to}));
        out -= inside * (1 - bandOf(*gap, zoom) / lengthIn_ns(*gap));
    }
    return out;
}

TraceTime AxisFolds::moved(TraceTime from, double by, double zoom) const
{
    const bool isForward = by >= 0;
    double rest = std::abs(by);
    const auto at = [&](double ns) {
        const auto whole = static_cast<int64_t>(std::llround(ns));
        return from + Duration{isForward ? whole : -whole};
    };
    // Passes over the stretch before the gap, then over the gap itself.
    const auto pass = [&](const TimeRange& gap) {
        const TraceTime near = isForward ? gap.begin : gap.end, far = isForward ? gap.end : gap.begin;
        const double before =
            std::max(0.0, static_cast<double>(isForward ? (near - from).ns : (from - near).ns));
        if (rest <= before) return true;
        rest -= before;
        from = isForward ? std::max(from, near) : std::min(from, near);
        const double slope = bandOf(gap, zoom) / lengthIn_ns(gap);
        const double inside = std::abs(static_cast<double>((far - from).ns)) * slope;
        if (rest < inside) {
            rest /= slope;
            return true;
        }
        rest -= inside;
        from = far;
        return false;
    };
    if (isForward) {
        for (auto gap = firstAfter(from); gap != m_gaps.end(); ++gap) {
            if (pass(*gap)) break;
        }
    } else {
        auto gap = std::ranges::lower_bound(m_gaps, from, {}, &TimeRange::begin);
        while (gap != m_gaps.begin()) {
            if (pass(*--gap)) break;
        }
    }
    return at(rest);
}

PixelScale AxisFolds::scale(TimeRange visible, int width) const
{
    const PixelScale even(visible, width);
    std::vector<ScalePart> parts;
    std::vector<double> lengths; // on the axis
    const double zoom = lengthOf(visible);
    const auto add = [&](TimeRange range, const TimeRange* gap) {
        if (range.isEmpty()) return;
        ScalePart& part = parts.emplace_back();
        part.range = range;
        if (gap != nullptr) part.gap = *gap;
        lengths.push_back(distance(range.begin, range.end, zoom));
    };
    TraceTime from = visible.begin;
    for (auto gap = firstAfter(from); gap != m_gaps.end() && gap->begin < visible.end; ++gap) {
        add({from, gap->begin}, nullptr);
        const TimeRange visiblePart = gap->clippedTo(visible);
        add(visiblePart, &*gap);
        from = visiblePart.end;
    }
    add({from, visible.end}, nullptr);
    const auto count = static_cast<int>(parts.size());
    const bool hasOpen = std::ranges::any_of(parts, [](const ScalePart& part) { return !part.isFolded(); });
    if (count < 2 || !hasOpen || zoom <= 0 || even.width() < count) return even;
    double length = 0;
    int last = 0;
    for (int i = 0; i < count; ++i) {
        const auto at = static_cast<size_t>(i);
        length += lengths[at];
        const double place = std::clamp(length / zoom, 0.0, 1.0) * even.width();
        parts[at].begin = last;
        last = i + 1 == count ? even.width()
                              : std::clamp(static_cast<int>(std::lround(place)), last + 1,
                                           even.width() - (count - 1 - i));
        parts[at].end = last;
    }
    return PixelScale(std::move(parts));
}

} // namespace lockstep
