// SPDX-License-Identifier: Apache-2.0
#include "core/align/wall_clock_mapping.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace lockstep {

namespace {

// largest slew rate of the Linux kernel; if the rate is higher, the clock was stepped
constexpr double kMaxSlew = 500e-6;
constexpr int64_t kStep_ns = 20'000; // smallest step
// Twice the agent's tolerance. The agent stores readings that deviate by more than its tolerance.
constexpr int64_t kTolerance_ns = 2'000;
// Minimum distance between two readings that determine a rate.
constexpr int64_t kSteadyRate_ns = 1'000'000'000;
// Longest regular interval between the agent's readings; a longer one means that readings were lost.
constexpr int64_t kUsualGap_ns = 7'000'000'000;

} // namespace

WallClockMapping::WallClockMapping(std::vector<WallPoint> points) : m_points(std::move(points))
{
    std::ranges::sort(m_points);
    const auto same = std::ranges::unique(m_points, {}, &WallPoint::raw_ns);
    m_points.erase(same.begin(), same.end());
    m_isStep.assign(m_points.size(), false);
    for (size_t i = 0; i + 1 < m_points.size(); ++i) {
        const WallPoint& a = m_points[i];
        const WallPoint& b = m_points[i + 1];
        const int64_t jump_ns = b.wall_ns - a.wall_ns;
        const double slewed = kMaxSlew * static_cast<double>(b.raw_ns - a.raw_ns);
        if (std::abs(static_cast<double>(jump_ns)) >
            slewed + static_cast<double>(kStep_ns + a.uncertainty_ns + b.uncertainty_ns)) {
            m_isStep[i] = true;
            m_steps.push_back({a.raw_ns, b.raw_ns, jump_ns});
        }
        m_wasSetBack = m_wasSetBack || b.raw_ns + b.wall_ns < a.raw_ns + a.wall_ns;
    }
}

OffsetRange WallClockMapping::between(size_t before, int64_t raw_ns) const
{
    const WallPoint& a = m_points[before];
    const WallPoint& b = m_points[before + 1];
    const int64_t uncertainty_ns = std::max(a.uncertainty_ns, b.uncertainty_ns) + kTolerance_ns;
    const auto slewed = [&](int64_t distance_ns) {
        return static_cast<int64_t>(kMaxSlew * static_cast<double>(distance_ns));
    };
    if (m_isStep[before]) {
        return {std::min(a.wall_ns, b.wall_ns) - uncertainty_ns - slewed(b.raw_ns - a.raw_ns),
                std::max(a.wall_ns, b.wall_ns) + uncertainty_ns + slewed(b.raw_ns - a.raw_ns)};
    }
    const auto share = static_cast<double>(raw_ns - a.raw_ns) / static_cast<double>(b.raw_ns - a.raw_ns);
    const int64_t wall_ns = a.wall_ns + std::llround(share * static_cast<double>(b.wall_ns - a.wall_ns));
    const bool isGap = b.raw_ns - a.raw_ns > kUsualGap_ns;
    const int64_t loose_ns = isGap ? slewed(std::min(raw_ns - a.raw_ns, b.raw_ns - raw_ns)) : 0;
    return {wall_ns - uncertainty_ns - loose_ns, wall_ns + uncertainty_ns + loose_ns};
}

double WallClockMapping::rateOf(size_t before) const
{
    const WallPoint& a = m_points[before];
    const WallPoint& b = m_points[before + 1];
    return static_cast<double>(b.wall_ns - a.wall_ns) / static_cast<double>(b.raw_ns - a.raw_ns);
}

double WallClockMapping::rateAtBegin() const
{
    for (size_t i = 0; i + 1 < m_points.size(); ++i) {
        if (!m_isStep[i] && m_points[i + 1].raw_ns - m_points[i].raw_ns > kSteadyRate_ns) return rateOf(i);
    }
    return 0;
}

double WallClockMapping::rateAtEnd() const
{
    for (size_t i = m_points.size(); i > 1; --i) {
        if (!m_isStep[i - 2] && m_points[i - 1].raw_ns - m_points[i - 2].raw_ns > kSteadyRate_ns)
            return rateOf(i - 2);
    }
    return 0;
}

OffsetRange WallClockMapping::at(int64_t raw_ns) const
{
    const auto next = std::ranges::upper_bound(m_points, raw_ns, {}, &WallPoint::raw_ns);
    const auto beyond = [&](const WallPoint& end) {
        const auto loose_ns =
            static_cast<int64_t>(kMaxSlew * static_cast<double>(std::abs(raw_ns - end.raw_ns))) +
            kTolerance_ns + end.uncertainty_ns;
        return OffsetRange{end.wall_ns - loose_ns, end.wall_ns + loose_ns};
    };
    if (next == m_points.begin()) return beyond(m_points.front());
    if (next == m_points.end()) return beyond(m_points.back());
    return between(static_cast<size_t>(next - m_points.begin()) - 1, raw_ns);
}

OffsetRange WallClockMapping::rawAt(int64_t real_ns) const
{
    const auto realOf = [](const WallPoint& p) { return p.raw_ns + p.wall_ns; };
    const auto within = [&](int64_t raw_ns) {
        const OffsetRange wall = at(raw_ns);
        return OffsetRange{real_ns - wall.greatest_ns, real_ns - wall.least_ns};
    };
    if (!m_wasSetBack) {
        const auto next = std::ranges::upper_bound(m_points, real_ns, {}, realOf);
        const auto& near = next == m_points.begin() ? m_points.front() : *(next - 1);
        // A reading close to the right time, which is then refined.
        const int64_t first_ns = real_ns - near.wall_ns;
        const bool isStep =
            next != m_points.begin() && m_isStep[static_cast<size_t>(next - m_points.begin()) - 1];
        if (isStep) return {near.raw_ns, next->raw_ns};
        const OffsetRange wall = at(first_ns);
        return within(real_ns - wall.least_ns - wall.width_ns() / 2);
    }
    OffsetRange all{INT64_MAX, INT64_MIN};
    const auto add = [&all](const OffsetRange& range) {
        all.least_ns = std::min(all.least_ns, range.least_ns);
        all.greatest_ns = std::max(all.greatest_ns, range.greatest_ns);
    };
    for (size_t i = 0; i + 1 < m_points.size(); ++i) {
        const int64_t begin_ns = realOf(m_points[i]), end_ns = realOf(m_points[i + 1]);
        // Around a step, either rate may apply to the whole interval.
        const int64_t most_ns = m_isStep[i] ? m_points[i + 1].raw_ns - m_points[i].raw_ns : 0;
        const bool isBefore = real_ns < std::min(begin_ns, end_ns - most_ns);
        const bool isBehind = real_ns > std::max(begin_ns + most_ns, end_ns);
        if ((isBefore && i > 0) || (isBehind && i + 2 < m_points.size())) continue;
        if (m_isStep[i] && !isBefore && !isBehind) {
            add({m_points[i].raw_ns, m_points[i + 1].raw_ns});
        } else {
            add(within(real_ns - m_points[isBehind ? i + 1 : i].wall_ns));
        }
    }
    return all.least_ns <= all.greatest_ns ? all : within(real_ns - m_points.back().wall_ns);
}

} // namespace lockstep
