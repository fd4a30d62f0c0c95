// SPDX-License-Identifier: Apache-2.0
// LastArrival: which rank a collective had to wait for: its part that began last on the aligned axis, how
// much later that was than the others', and what clocks and durations say to it. Pure, any thread.
#pragma once

#include <string>

#include "core/scene/scene.h"

namespace lockstep {

struct LastArrival {
    SliceRef slice;        // of the last; invalid: `text` says why nobody knows
    bool isItself = false; // it is the slice that was asked about
    // "rank 9 · node1 came last of 16, 251 µs ± 4.1 µs after the first, rank 0 · node0; ..."
    std::string text;
};

// Of any part of a collective, of a shown report; of pairs too, where the receiver cannot leave before the
// sender has come. O(collectives).
LastArrival lastArrivalOf(const Scene& scene, SliceRef of);

} // namespace lockstep
