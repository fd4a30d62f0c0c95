// SPDX-License-Identifier: Apache-2.0
// TimeText: places on the axis as people write them: for Go to, --goto and links. parseTimeText() is pure
// text; placeOfTime() puts what was understood onto a scene. Any thread.
#pragma once

#include <map>

#include "core/scene/mark_list.h"

namespace lockstep {

// What a text asks for.
struct AskedTime {
    enum class From : uint8_t {
        axis,     // "1.204 118 402 s", "1204118402": ns since the axis' zero
        here,     // "+38ms", "-2 us": from the selection's begin, else from the left edge
        utcOfDay, // "12:04:31.204": ns since midnight, UTC
        utc,      // "2026-11-20T12:04:31.204Z": Unix-epoch ns
        report,   // "@r3 123456789", "@rank3.sqlite 5 ms": of that report's own clock
        step,     // "step 3"
        mark,     // "mark 2", "note 2"
        part      // "50%": of the whole, in 10^-9
    };

    From from = From::axis;
    int64_t value = 0;  // ns, or the number
    std::string report; // of From::report: "r3" is rank 3, else a part of a file's name

    friend bool operator==(const AskedTime&, const AskedTime&) = default;
};

// invalid: what was not understood, and what would be.
Result<AskedTime> parseTimeText(std::string_view text);

// Where each training step lies on the aligned axis, over all shown reports that mark or state steps.
// O(rows): call it off the UI thread.
using StepRanges = std::map<int64_t, TimeRange>;
StepRanges stepRangesOf(const Scene& scene);

struct TimeContext {
    const Scene& scene;
    TimeRange visible;                 // aligned
    std::optional<TraceTime> from;     // the begin of what is selected
    const MarkList* marks = nullptr;   // may be null
    const StepRanges* steps = nullptr; // null: not known yet
};

struct TimePlace {
    TimeRange aligned;      // begin == end: a moment
    std::string understood; // "1.204 118 402 s, 12:04:31.204 118 402 UTC"
};

// notFound: it lies beyond everything, or there is no such report, step, mark or UTC; the message says what
// there is.
Result<TimePlace> placeOfTime(const AskedTime& asked, const TimeContext& context);

} // namespace lockstep
