// SPDX-License-Identifier: Apache-2.0
// LastArrival: the rank that a collective waited for, i.e. the rank of the part that began last on the
// aligned axis. Includes the delay of this part relative to the others, and whether clocks and durations
// confirm the result. Pure. Thread: any.
#pragma once

#include <string>

#include "core/scene/scene.h"

namespace lockstep {

struct LastArrival {
    SliceRef slice;        // the part that arrived last; if invalid, `text` states the reason
    bool isItself = false; // the given slice is the part that arrived last
    // "rank 9 · node1 arrived last of 16, 251 µs ± 4.1 µs after the first: rank 0 · node0; ..."
    std::string text;
};

// Accepts any part of a collective in a visible report. Also accepts send/receive pairs, in which the
// receiver cannot finish before the sender has started. O(collectives).
LastArrival lastArrivalOf(const Scene& scene, SliceRef of);

} // namespace lockstep
