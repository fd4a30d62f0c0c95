// SPDX-License-Identifier: Apache-2.0
// MemoryAxis maps the moments in a device's history to the report's clock: by the timestamps of the entries,
// or in equal steps over a range if the file has no timestamps. This is a view of a replay, created for one
// frame or query. Thread: any.
#pragma once

#include "core/base/time.h"
#include "core/memory/device_replay.h"

namespace lockstep {

struct MemoryAxis {
    const DeviceReplay& device;
    const MemorySnapshot& snapshot;
    // If there are timestamps: the range from the first entry to the end of the report. Otherwise: a nonempty
    // range over which the moments are spread evenly.
    TimeRange extent;

    bool isByIndex() const { return snapshot.entries.time_ns.empty() || device.rows.empty(); }
    // Returns the moment at a time on the report's clock; 0 before the first entry. hint: a moment not after
    // the result; the result is found in O(log distance) from the hint.
    MemoryMoment momentAt(TraceTime time, MemoryMoment hint = 0) const;
    // Returns the first nanosecond of a moment. Moment 0 begins at the first entry, or at the start of the
    // extent if there are no timestamps.
    TraceTime timeOf(MemoryMoment moment) const;
    // Returns true if the time is within the extent; nothing was recorded before or after it.
    bool covers(TraceTime time) const { return extent.begin <= time && time <= extent.end; }
};

} // namespace lockstep
