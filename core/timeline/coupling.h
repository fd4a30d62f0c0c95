// SPDX-License-Identifier: Apache-2.0
// Coupling: which moment of one half of a comparison stands over which of the other: by the starts of steps,
// of collectives, or by one shift of the whole axis. Between two knots time runs alike in both halves, so a
// range keeps its length. A value; pure, any thread.
#pragma once

#include <vector>

#include "core/base/time.h"

namespace lockstep {

// The same event in both halves, each on its own aligned axis.
struct CouplingKnot {
    TraceTime a, b;

    friend bool operator==(const CouplingKnot&, const CouplingKnot&) = default;
};

class Coupling {
  public:
    // Nothing is shifted.
    Coupling() = default;
    // Of several knots at one moment of A the last one counts.
    explicit Coupling(std::vector<CouplingKnot> knots);

    // How much later B is there: of the last knot at or before the moment, before all of them the first.
    Duration shiftAtA(TraceTime a) const;
    Duration shiftAtB(TraceTime b) const;
    TraceTime toB(TraceTime a) const { return a + shiftAtA(a); }
    TraceTime toA(TraceTime b) const { return b - shiftAtB(b); }
    // Of equal length; coupled where the range begins.
    TimeRange toB(TimeRange a) const { return {toB(a.begin), toB(a.begin) + a.length()}; }
    TimeRange toA(TimeRange b) const { return {toA(b.begin), toA(b.begin) + b.length()}; }
    // The halves changed places.
    Coupling swapped() const;

    const std::vector<CouplingKnot>& knots() const { return m_byA; }

  private:
    std::vector<CouplingKnot> m_byA, m_byB; // one for each moment
};

} // namespace lockstep
