// SPDX-License-Identifier: Apache-2.0
// EventFacts: what one slice says of itself in a table of events: whose it is, when, on which lane, what it
// sent. What is not known is absent, never 0. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/scene/scene.h"

namespace lockstep {

struct EventFacts {
    TraceTime start; // aligned
    Duration duration;
    bool isInstant = false;
    bool isOpenEnd = false; // still running when the capture ended
    std::string_view name;  // the report's
    SliceCategory category = SliceCategory::other;
    RowKind kind = RowKind::span;
    std::optional<int> rank;
    std::string node;
    std::string lane;                  // its label, below its GPU or thread: "stream 7"
    std::string thread;                // of CPU slices: name and number
    std::string communicator;          // "dp (16 ranks)"
    std::optional<int64_t> size_bytes; // of a copy or memset, or a collective's message as the file states it
    // By nccl-tests' rule for all-reduce, all-gather and reduce-scatter, over this slice's own duration, the
    // waiting for others included; in 10^9 bytes a second.
    std::optional<double> bus_GBps;
};

// Of a slice of a shown report. O(log slices + log collectives).
EventFacts eventFacts(const Scene& scene, SliceRef slice);

// How much later this part of a collective began than its first one, and what that is good to.
struct ArrivalSkew {
    Duration late;
    std::optional<Duration> bound; // absent: nobody can say
};
// Absent where the slice is part of no matched collective. As peersOf(): off the UI thread.
std::optional<ArrivalSkew> arrivalSkew(const Scene& scene, SliceRef slice);

} // namespace lockstep
