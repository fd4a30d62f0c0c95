// SPDX-License-Identifier: Apache-2.0
// WallClockMapping: a host's wall clock relative to its raw clock during a run, from the readings of its
// agent (see capture/agent/wall_clock_sampler.h) and of the clock exchange. Contains the steps of the wall
// clock. Pure; any thread.
//
// Idea: the kernel slews the wall clock by at most 500 ppm. A larger change between two readings is a step.
// Between readings without a step, the mapping is a line, with the uncertainty of both readings and the
// tolerance of the agent; around a step, and if readings were lost, the range is wider. Invariant: the true
// mapping is inside the range.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/align/offset_tube.h"

namespace lockstep {

struct WallPoint {
    int64_t raw_ns = 0;
    int64_t wall_ns = 0; // CLOCK_REALTIME minus CLOCK_MONOTONIC_RAW
    int64_t uncertainty_ns = 0;

    friend auto operator<=>(const WallPoint&, const WallPoint&) = default;
};

// An interval of the raw clock in which the wall clock was stepped by jump_ns.
struct WallStep {
    int64_t begin_ns = 0;
    int64_t end_ns = 0;
    int64_t jump_ns = 0;
};

class WallClockMapping {
  public:
    // Points may be in any order and contain duplicates.
    explicit WallClockMapping(std::vector<WallPoint> points);

    bool isEmpty() const { return m_points.empty(); }
    // Returns wall clock minus raw clock at a raw clock time. The mapping must not be empty. O(log n).
    OffsetRange at(int64_t raw_ns) const;
    // Returns the possible raw clock times at which the wall clock showed real_ns. There are several such
    // times if the clock was set back; the function then takes O(n), otherwise O(log n).
    OffsetRange rawAt(int64_t real_ns) const;
    // Returns the rate at which the wall clock gained on the raw clock, in ns per ns, between the first or
    // last two neighboring readings that are more than a second apart and have no step between them; 0 if
    // there are none.
    double rateAtBegin() const;
    double rateAtEnd() const;
    std::span<const WallStep> steps() const { return m_steps; }
    std::span<const WallPoint> points() const { return m_points; }

  private:
    double rateOf(size_t before) const;
    OffsetRange between(size_t before, int64_t raw_ns) const;

    std::vector<WallPoint> m_points; // in chronological order, strictly ascending
    std::vector<WallStep> m_steps;
    // by point: true if the wall clock was stepped between this point and the next
    std::vector<bool> m_isStep;
    bool m_wasSetBack = false;
};

} // namespace lockstep
