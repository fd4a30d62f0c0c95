// SPDX-License-Identifier: Apache-2.0
// Coupling: maps times from one pane of a comparison to the other, by the starts of steps, by the starts of
// collectives, or by a single shift for the whole axis. Between two knots, time advances equally in both
// panes, so a range keeps its length. Value type; pure. Thread: any.
#pragma once

#include <vector>

#include "core/base/time.h"

namespace lockstep {

// The time of the same event in both panes, each on the pane's own aligned axis.
struct CouplingKnot {
    TraceTime a, b;

    friend bool operator==(const CouplingKnot&, const CouplingKnot&) = default;
};

class Coupling {
  public:
    // Creates a mapping without a shift.
    Coupling() = default;
    // If several knots have the same time in A, the last one is used.
    explicit Coupling(std::vector<CouplingKnot> knots);

    // Returns how much later B is at this time. This is the shift at the last knot at or before the time, or
    // at the first knot if there is no earlier one.
    Duration shiftAtA(TraceTime a) const;
    Duration shiftAtB(TraceTime b) const;
    TraceTime toB(TraceTime a) const { return a + shiftAtA(a); }
    TraceTime toA(TraceTime b) const { return b - shiftAtB(b); }
    // Maps the start of a range and keeps its length.
    TimeRange toB(TimeRange a) const { return {toB(a.begin), toB(a.begin) + a.length()}; }
    TimeRange toA(TimeRange b) const { return {toA(b.begin), toA(b.begin) + b.length()}; }
    // Returns the inverse mapping.
    Coupling swapped() const;

    const std::vector<CouplingKnot>& knots() const { return m_byA; }

  private:
    std::vector<CouplingKnot> m_byA, m_byB; // at most one knot per time
};

} // namespace lockstep
