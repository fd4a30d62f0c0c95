// SPDX-License-Identifier: Apache-2.0
// LegacyEvent: what a track event adds where it was converted from Chrome's JSON: its phase, and the flow it
// is a point of, by an event of its own (phases s, t, f) or by bind_id on a slice. Source:
// TrackEvent.LegacyEvent of Perfetto's track_event.proto.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/trace/slice_batch.h"

namespace lockstep {

struct LegacyEvent {
    char phase = 0; // the letter of Chrome's JSON; 0: none
    int64_t duration_us = 0;
    std::optional<uint64_t> nameIid; // of an interned name
    uint64_t id = 0;
    uint64_t scope = 0; // hash of the id's scope
    std::optional<uint64_t> bindId;
    uint64_t direction = 0;   // of bindId: 1 in, 2 out, 3 both
    bool isOfProcess = false; // the id is of its process, else of the trace
    bool bindsEnclosing = false;
    bool isBroken = false; // the wire format ends before the event does

    static LegacyEvent read(std::string_view message);

    // The event itself is a point of a flow and no slice.
    bool isFlow() const { return phase == 's' || phase == 't' || phase == 'f'; }
    // It is one, or its slice is, at its begin.
    bool hasFlow() const { return isFlow() || (bindId && direction >= 1 && direction <= 3); }
    FlowRole flowRole() const;
    // An end without bind_to_enclosing is of the next slice.
    bool bindsNext() const { return phase == 'f' && !bindsEnclosing; }
    // process: any number of the event's process in the report.
    uint64_t flowKey(uint64_t process) const;
};

} // namespace lockstep
