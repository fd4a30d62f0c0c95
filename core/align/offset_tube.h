// SPDX-License-Identifier: Apache-2.0
// OffsetTube: how far one clock is ahead of another over time, as certain limits: made of moments at which it
// was within an interval, and of how much the rate of two free-running clocks can change. Pure; any thread.
//
// Both clocks count oscillations (CLOCK_MONOTONIC_RAW): their rates differ by at most kMostRate, and that
// difference changes by at most kRateWander a second (a quartz warmed by 3 K a minute). So the mean rate over
// a stretch says what the rate was at every moment of it, and what was certain at one moment says something
// of its neighbours: the tube is narrower than its widest interval, and no wider between two than they tell.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace lockstep {

inline constexpr double kMostRate = 200e-6;    // ns per ns: two clocks of 100 ppm
inline constexpr double kRateWander = 0.02e-6; // ns per ns and second

// At a moment of the first clock the second is ahead by something within.
struct OffsetLimit {
    int64_t at_ns = 0;
    int64_t least_ns = 0;
    int64_t greatest_ns = 0;

    friend bool operator==(const OffsetLimit&, const OffsetLimit&) = default;
};

struct OffsetRange {
    int64_t least_ns = 0;
    int64_t greatest_ns = 0;

    int64_t width_ns() const { return greatest_ns - least_ns; }
    friend bool operator==(const OffsetRange&, const OffsetRange&) = default;
};

class OffsetTube {
  public:
    // In any order; none of them gives an empty tube, which knows nothing. O(n log n).
    explicit OffsetTube(std::vector<OffsetLimit> limits);

    bool isEmpty() const { return m_knots.empty(); }
    // Any moment: beyond the first and the last limit it widens ever more. The tube must not be empty.
    // O(log n).
    OffsetRange at(int64_t at_ns) const;
    // At some moment it was about this.
    int64_t someOffset_ns() const { return m_base_ns; }
    // Of the moments at which there was a limit.
    int64_t medianHalfWidth_ns() const;
    // By how much more per ns the tube may widen between two moments asked for.
    double widening() const { return m_widening; }
    // Limits that contradict the ones on both sides of them: left out.
    size_t outliers() const { return m_outliers; }
    size_t limitCount() const { return m_knots.size(); }
    // Stretches in which one clock stopped or was set (a suspended machine): what is known before says
    // nothing of what comes after. [begin, end) in moments.
    std::span<const std::pair<int64_t, int64_t>> breaks() const { return m_breaks; }
    // The rates' change within a stretch exceeded what is assumed: the tube there goes by kMostRate alone.
    bool isRough() const { return m_isRough; }

  private:
    struct Knot {
        double at = 0; // ns since m_origin_ns
        double least = 0;
        double greatest = 0;
        double slowest = 0; // rate until the next knot
        double fastest = 0;
        bool isBeforeBreak = false; // nothing is known of the way to the next
    };

    void leaveOutOutliers(std::vector<OffsetLimit>& limits);
    void limitRates(size_t begin, size_t end);
    bool spread(size_t begin, size_t end);
    void settle(size_t begin, size_t end);
    double extrapolatedLow(const Knot& knot, double distance, bool isAhead) const;
    double extrapolatedHigh(const Knot& knot, double distance, bool isAhead) const;

    std::vector<Knot> m_knots;
    std::vector<std::pair<int64_t, int64_t>> m_breaks;
    int64_t m_origin_ns = 0;
    int64_t m_base_ns = 0;
    double m_widening = 0;
    size_t m_outliers = 0;
    bool m_isRough = false;
};

} // namespace lockstep
