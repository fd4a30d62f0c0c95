// SPDX-License-Identifier: Apache-2.0
// EventFacts: the properties of one slice for a table of events: owner, time, lane and communication. Unknown
// values are absent, never 0. Pure. Thread: any.
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
    std::string_view name;  // owned by the report
    SliceCategory category = SliceCategory::other;
    RowKind kind = RowKind::span;
    std::optional<int> rank;
    std::string node;
    std::string lane;                  // label of the lane within its GPU or thread: "stream 7"
    std::string thread;                // name and ID of the thread, for CPU slices
    std::string communicator;          // "dp (16 ranks)"
    std::optional<int64_t> size_bytes; // size of a copy or memset, or the recorded message size of a
                                       // collective
    // Bus bandwidth as defined by nccl-tests for all-reduce, all-gather and reduce-scatter, over this slice's
    // own duration including waits. In 10^9 bytes per second.
    std::optional<double> bus_GBps;
    RowFacts details; // correlation ID and launch configuration; a view of the report
};

// The slice must belong to a visible report. O(log slices + log collectives).
EventFacts eventFacts(const Scene& scene, SliceRef slice);

// How much later this part of a collective began than the first part, with the error bound of the difference.
struct ArrivalSkew {
    Duration late;
    std::optional<Duration> bound; // nullopt: unknown
};
// Returns nullopt if the slice is not part of a matched collective. Must be called off the UI thread, like
// peersOf().
std::optional<ArrivalSkew> arrivalSkew(const Scene& scene, SliceRef slice);

} // namespace lockstep
