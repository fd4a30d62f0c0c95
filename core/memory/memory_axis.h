// SPDX-License-Identifier: Apache-2.0
// MemoryAxis: where the moments of a device's history lie on the report's clock: by the stamps of its
// entries, or, where the file has none, in equal steps over a range that it is shown on. A view of a replay,
// made for a frame or a question; any thread.
#pragma once

#include "core/base/time.h"
#include "core/memory/device_replay.h"

namespace lockstep {

struct MemoryAxis {
    const DeviceReplay& device;
    const MemorySnapshot& snapshot;
    // Timed: from its first entry to where the report ends. By index: what it is spread over; not empty.
    TimeRange extent;

    bool isByIndex() const { return snapshot.entries.time_ns.empty() || device.rows.empty(); }
    // The moment that holds at a time of the report's clock: of what is before the first entry 0. hint: a
    // moment not after the answer, from which it is found in O(log distance).
    MemoryMoment momentAt(TraceTime time, MemoryMoment hint = 0) const;
    // The first ns of a moment: 0 begins with the first entry, where timed, or with the extent.
    TraceTime timeOf(MemoryMoment moment) const;
    // What is known: before it the history has not begun, after it nothing more was recorded.
    bool knows(TraceTime time) const { return extent.begin <= time && time <= extent.end; }
};

} // namespace lockstep
