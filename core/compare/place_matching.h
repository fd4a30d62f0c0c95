// SPDX-License-Identifier: Apache-2.0
// PlaceMatching: pairs slices with the same name if the panes of a comparison have different counts. Slices
// are paired with the nearest position while keeping their order, so that one missing slice does not shift
// the later ones. Used by lane matching. Pure. Thread: any.
#pragma once

#include <optional>
#include <vector>

#include "core/compare/coupling.h"

namespace lockstep {

// Maps a time in A to B: proportionally between common times. Before the first and after the last common
// time, the distance to it is the same as in A. Anchors may be in any order; those that go backward in B are
// ignored. shift: used if there are no anchors.
class PiecewiseTimeMap {
  public:
    PiecewiseTimeMap(std::vector<CouplingKnot> anchors, Duration shift);
    TraceTime toB(TraceTime a) const;

  private:
    std::vector<CouplingKnot> m_anchors; // ascending in both panes
    Duration m_shift;
};

// Both lists are ascending and on one axis, and `longer` has at least as many elements as `shorter`. Returns
// for each element of `longer` its partner in `shorter`, or nullopt. Every element of `shorter` has a
// partner, the order is kept, and the sum of distances is minimal. If several pairings have the same sum, the
// last elements remain without a partner. Returns an empty list if matching would take too long.
std::vector<std::optional<uint32_t>> matchByPosition(const std::vector<TraceTime>& longer,
                                                     const std::vector<TraceTime>& shorter);

} // namespace lockstep
