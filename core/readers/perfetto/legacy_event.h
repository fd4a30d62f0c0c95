// SPDX-License-Identifier: Apache-2.0
// LegacyEvent: the additional data of a track event converted from Chrome JSON: its phase and, if it is a
// flow point, the flow. Flow points are events of their own (phases s, t, f) or slices with a bind_id.
// Source: TrackEvent.LegacyEvent in Perfetto's track_event.proto.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/trace/slice_batch.h"

namespace lockstep {

struct LegacyEvent {
    char phase = 0; // the phase letter in Chrome JSON; 0 = none
    int64_t duration_us = 0;
    std::optional<uint64_t> nameIid; // ID of an interned name
    uint64_t id = 0;
    uint64_t scope = 0; // hash of the scope of the ID
    std::optional<uint64_t> bindId;
    uint64_t direction = 0;   // direction of bindId: 1 = in, 2 = out, 3 = both
    bool isOfProcess = false; // true if the ID is local to its process; otherwise it is global to the trace
    bool bindsEnclosing = false;
    bool isBroken = false; // true if the data ends before the event does

    static LegacyEvent read(std::string_view message);

    // Returns true if the event itself is a flow point and not a slice.
    bool isFlow() const { return phase == 's' || phase == 't' || phase == 'f'; }
    // Returns true if the event is a flow point, or if the begin of its slice is one.
    bool hasFlow() const { return isFlow() || (bindId && direction >= 1 && direction <= 3); }
    FlowRole flowRole() const;
    // Returns true for the end of a flow without bind_to_enclosing; such an end binds to the next slice.
    bool bindsNext() const { return phase == 'f' && !bindsEnclosing; }
    // Returns the key of the flow. `process` is any number that identifies the event's process uniquely in
    // the report.
    uint64_t flowKey(uint64_t process) const;
};

} // namespace lockstep
