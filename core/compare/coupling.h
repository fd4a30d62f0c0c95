// SPDX-License-Identifier: Apache-2.0
// Coupling: maps times from one side of a comparison to the other, by the starts of steps, by the starts of
// collectives, or by a single shift for the whole axis. Between two knots, time advances equally on both
// sides, so a range keeps its length. Value type; pure. Thread: any.
#pragma once

#include <optional>
#include <vector>

#include "core/base/time.h"

namespace lockstep {

// The time of the same event on both sides, each on the side's own aligned axis.
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

// Maps a time in A to B: proportionally between common times. Before the first and after the last common
// time, the distance to it is the same as in A. Anchors may be in any order; those that go backward in B are
// ignored. shift: used if there are no anchors.
class ProportionalCoupling {
  public:
    ProportionalCoupling(std::vector<CouplingKnot> anchors, Duration shift);
    TraceTime toB(TraceTime a) const;

  private:
    std::vector<CouplingKnot> m_anchors; // ascending on both sides
    Duration m_shift;
};

// Pairs slices with the same name if the sides have different counts: with the nearest position while keeping
// their order, so that one missing slice does not shift the later ones. Both lists are ascending and on one
// axis, and `longer` has at least as many elements as `shorter`. Returns for each element of `longer` its
// partner in `shorter`, or nullopt. Every element of `shorter` has a partner, the order is kept, and the sum
// of distances is minimal. If several pairings have the same sum, the last elements remain without a partner.
// Returns an empty list if matching would take too long.
std::vector<std::optional<uint32_t>> pairByPosition(const std::vector<TraceTime>& longer,
                                                    const std::vector<TraceTime>& shorter);

} // namespace lockstep
