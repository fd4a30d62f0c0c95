// SPDX-License-Identifier: Apache-2.0
// QuietTime: the stretches of the aligned axis without data in any shown report, and the median duration of
// training steps. The timeline may collapse these gaps. Part of a scene and created with it off the UI
// thread.
#pragma once

#include <optional>
#include <vector>

#include "core/align/alignment.h"
#include "core/lanes/report_lod.h"

namespace lockstep {

struct QuietTime {
    static constexpr Duration kMin{10'000'000'000}; // shorter gaps are not listed

    // aligned, ascending; each range is slightly shorter than the distance between the data on its two sides
    std::vector<TimeRange> ranges;
    std::optional<Duration> medianStep; // over all steps of all shown reports; nullopt if no step is marked

    friend bool operator==(const QuietTime&, const QuietTime&) = default;
};

// Finds quiet times. O(stretches log stretches).
QuietTime findQuietTime(const Workspace& shown, const Alignment& alignment, const ReportLods& lods);

} // namespace lockstep
