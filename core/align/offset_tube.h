// SPDX-License-Identifier: Apache-2.0
// OffsetTube: guaranteed bounds on the offset between two clocks over time. They follow from times at which
// the offset was within a known interval, and from the largest possible rate change of two free-running
// clocks. Pure; any thread.
//
// Both clocks count oscillations (CLOCK_MONOTONIC_RAW): their rates differ by at most kMaxRate, and the
// difference changes by at most kMaxRateDrift per second (a quartz oscillator heated by 3 K per minute). The
// mean rate over a segment therefore bounds the rate at every time in that segment, and a bound at one time
// also constrains nearby times. The tube is thus narrower than its widest interval, and between two bounds it
// is no wider than these bounds allow. Invariant: the true offset is inside the tube as long as both
// assumptions hold. If a segment has no possible offset left, it relies only on its own bounds and kMaxRate.
// Cost: O(n) after sorting.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace lockstep {

// ns per ns; the rate between two clocks that are each off by up to 100 ppm
inline constexpr double kMaxRate = 200e-6;
inline constexpr double kMaxRateDrift = 0.02e-6; // ns per ns, per second

// The range of the second clock's offset at a given time on the first clock.
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
    // Builds the tube from bounds in any order; without bounds the tube is empty. O(n log n).
    explicit OffsetTube(std::vector<OffsetLimit> limits);

    bool isEmpty() const { return m_knots.empty(); }
    // Returns the range at any time. The range widens before the first bound and after the last one. The tube
    // must not be empty. O(log n).
    OffsetRange at(int64_t at_ns) const;
    // Returns an approximate offset, which was valid at some time.
    int64_t approximateOffset_ns() const { return m_base_ns; }
    // Returns the median half-width of the tube at the times of the bounds.
    int64_t medianHalfWidth_ns() const;
    // Returns the possible widening of the range between two queried times, per ns.
    double widening() const { return m_widening; }
    // Returns the number of bounds that were omitted because they contradict their neighbors on both sides.
    size_t outliers() const { return m_outliers; }
    // Returns the time intervals [begin, end) in which one clock stopped or was stepped (for example, because
    // the machine was suspended). Bounds from before an interval do not apply after it.
    std::span<const std::pair<int64_t, int64_t>> breaks() const { return m_breaks; }
    // Returns true if the rate changed faster than assumed in some segment. In such a segment the tube relies
    // only on kMaxRate.
    bool isUnstable() const { return m_isUnstable; }

  private:
    struct Knot {
        double at = 0; // ns since m_origin_ns
        double least = 0;
        double greatest = 0;
        double slowest = 0; // rate from this knot to the next one
        double fastest = 0;
        bool isBeforeBreak = false; // the offset may jump before the next knot
    };

    void dropOutliers(std::vector<OffsetLimit>& limits);
    void limitRates(size_t begin, size_t end);
    bool propagate(size_t begin, size_t end);
    void tightenSegment(size_t begin, size_t end);
    double extrapolatedLow(const Knot& knot, double distance, bool isAhead) const;
    double extrapolatedHigh(const Knot& knot, double distance, bool isAhead) const;

    std::vector<Knot> m_knots;
    std::vector<std::pair<int64_t, int64_t>> m_breaks;
    int64_t m_origin_ns = 0;
    int64_t m_base_ns = 0;
    double m_widening = 0;
    size_t m_outliers = 0;
    bool m_isUnstable = false;
};

} // namespace lockstep
