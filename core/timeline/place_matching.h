// SPDX-License-Identifier: Apache-2.0
// PlaceMatching: of a name that is not as often in both halves of a comparison, which of its slices are the
// same: those whose places are nearest each other, in their order, so that one that is missing in the middle
// does not shift the later ones. Read by the matching of lanes. Pure; any thread.
#pragma once

#include <optional>
#include <vector>

#include "core/timeline/coupling.h"

namespace lockstep {

// Where a moment of A would lie in B: between the moments that both have, in proportion; before the first and
// behind the last of them as far from it as in A. Anchors in any order; those that go backwards in B do not
// count. shift: where there is none.
class PlaceAxis {
  public:
    PlaceAxis(std::vector<CouplingKnot> anchors, Duration shift);
    TraceTime toB(TraceTime a) const;

  private:
    std::vector<CouplingKnot> m_anchors; // ascending in both
    Duration m_shift;
};

// Both ascending, on one axis, the longer one first. Of each of `longer` its partner's place in `shorter`, or
// none: every one of `shorter` has a partner, their order stays, and the distances together are the least; of
// equal answers the one that leaves out the last. Empty where that would take too long.
std::vector<std::optional<uint32_t>> matchByPlace(const std::vector<TraceTime>& longer,
                                                  const std::vector<TraceTime>& shorter);

} // namespace lockstep
