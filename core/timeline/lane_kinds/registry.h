// SPDX-License-Identifier: Apache-2.0
// The list of all lane kinds, in the order in which they are tried; the last one takes every lane. Each line
// names the function that returns a kind, which is declared below and defined in the file of the kind.
#pragma once

#include "core/timeline/lane_kind.h"

#define LOCKSTEP_LANE_KINDS(X)                                                                               \
    X(lossLane)                                                                                              \
    X(sampleLane)                                                                                            \
    X(phaseLane)                                                                                             \
    X(queryLane)                                                                                             \
    X(rankMapLane)                                                                                           \
    X(counterLane)                                                                                           \
    X(memoryLane)                                                                                            \
    X(projectionLane)                                                                                        \
    X(busyLane)                                                                                              \
    X(graphLane)                                                                                             \
    X(sliceLane)

namespace lockstep {

#define LOCKSTEP_DECLARATION(function) const LaneKind& function();
LOCKSTEP_LANE_KINDS(LOCKSTEP_DECLARATION)
#undef LOCKSTEP_DECLARATION

} // namespace lockstep
