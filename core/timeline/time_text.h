// SPDX-License-Identifier: Apache-2.0
// TimeText: positions on the axis as the user types them in "Go to", in --goto and in links. parseTimeText()
// only parses; resolveTime() finds the result in a scene. Thread: any.
#pragma once

#include <map>

#include "core/scene/mark_list.h"

namespace lockstep {

// The time that a user's input requests.
struct TimeQuery {
    enum class From : uint8_t {
        axis,     // "1.204 118 402 s", "1204118402": ns since zero on the axis
        here,     // "+38ms", "-2 us": relative to the start of the selection, otherwise to the left edge
        utcOfDay, // "12:04:31.204": ns since midnight, UTC
        utc,      // "2026-11-20T12:04:31.204Z": Unix-epoch ns
        report,   // "@r3 123456789", "@rank3.sqlite 5 ms": on that report's own clock
        step,     // "step 3"
        mark,     // "marker 2", "note 2"
        part      // "50%": fraction of the whole range, in units of 10^-9
    };

    From from = From::axis;
    int64_t value = 0;  // ns, or the number
    std::string report; // for From::report: "r3" stands for rank 3; otherwise part of a file name

    friend bool operator==(const TimeQuery&, const TimeQuery&) = default;
};

// Returns `invalid` with the rejected input and examples of valid input.
Result<TimeQuery> parseTimeText(std::string_view text);

// Returns the aligned range of each training step, over all visible reports that mark or record steps.
// O(rows); call it off the UI thread.
using StepRanges = std::map<int64_t, TimeRange>;
StepRanges stepRangesOf(const Scene& scene);

struct TimeContext {
    const Scene& scene;
    TimeRange visible;                 // aligned
    std::optional<TraceTime> from;     // start of the selection
    const MarkList* marks = nullptr;   // may be nullptr
    const StepRanges* steps = nullptr; // nullptr: not known yet
};

struct ResolvedTime {
    TimeRange aligned;      // begin == end: a point in time
    std::string understood; // "1.204 118 402 s, 12:04:31.204 118 402 UTC"
};

// Returns `notFound` if the time is outside the run, or if the report, step or marker does not exist, or if
// the axis has no UTC time. The message lists what exists.
Result<ResolvedTime> resolveTime(const TimeQuery& query, const TimeContext& context);

} // namespace lockstep
