// SPDX-License-Identifier: Apache-2.0
// WallClockPath: where a host's wall clock was against its raw one while a run went on, from the readings
// that its agent kept (see capture/agent/wall_path.h) and those that came with comparisons. Says where the
// wall clock was set. Pure; any thread.
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
    int64_t doubt_ns = 0;

    friend auto operator<=>(const WallPoint&, const WallPoint&) = default;
};

// A stretch of the raw clock in which the wall clock was set, by so much.
struct WallStep {
    int64_t begin_ns = 0;
    int64_t end_ns = 0;
    int64_t jump_ns = 0;
};

class WallClockPath {
  public:
    // In any order, equal ones more than once.
    explicit WallClockPath(std::vector<WallPoint> points);

    bool isEmpty() const { return m_points.empty(); }
    // Wall minus raw clock at a moment of the raw one. The path must not be empty. O(log n).
    OffsetRange at(int64_t raw_ns) const;
    // When, on the raw clock, the wall clock showed this: all that is possible where it was set back. O(n)
    // then, else O(log n).
    OffsetRange rawAt(int64_t real_ns) const;
    // How fast the wall clock gained on the raw one, ns per ns, when it was first and last read twice.
    double rateAtBegin() const;
    double rateAtEnd() const;
    std::span<const WallStep> steps() const { return m_steps; }
    std::span<const WallPoint> points() const { return m_points; }

  private:
    double rateOf(size_t before) const;
    OffsetRange between(size_t before, int64_t raw_ns) const;

    std::vector<WallPoint> m_points; // by time, rising
    std::vector<WallStep> m_steps;
    std::vector<bool> m_isStep; // by point: to the next
    bool m_wasSetBack = false;
};

} // namespace lockstep
