// SPDX-License-Identifier: Apache-2.0
// QuietTime: the stretches of the aligned axis in which no shown report has anything, and how long training
// steps are: what the timeline may fold. Part of a scene, made with it off the UI thread.
#pragma once

#include <optional>
#include <vector>

#include "core/align/alignment.h"
#include "core/lanes/report_lod.h"

namespace lockstep {

struct QuietTime {
    static constexpr Duration kLeast{10'000'000'000}; // what is shorter is not listed

    std::vector<TimeRange> ranges;      // aligned, ascending, a little within what lies on both sides
    std::optional<Duration> medianStep; // of all steps of all shown reports; absent: none is marked

    friend bool operator==(const QuietTime&, const QuietTime&) = default;
};

// O(stretches log stretches).
QuietTime findQuietTime(const Workspace& shown, const Alignment& alignment, const ReportLods& lods);

} // namespace lockstep
