// SPDX-License-Identifier: Apache-2.0
// SliceContext is what surrounds a slice: for GPU work, the API call that launched it and the delay until it
// started; for all slices, the NVTX ranges, operators and Python functions in which it, or its launch, ran.
// Times are on the report's clock. Any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/trace/report.h"

namespace lockstep {

struct SliceContext {
    SliceId launch;                        // invalid if the slice was not launched, or no launch was recorded
    std::optional<int64_t> sinceLaunch_ns; // from the start of the launch to the start of the slice
    std::optional<int64_t> sinceLaunchEnd_ns; // from the end of the launch; negative if it ended later
    // Ranges on the thread of the slice or of its launch, innermost first; never the slice or its launch.
    std::vector<SliceId> enclosing;
};

// O(tracks + depth). See EnclosingRanges for the maximum depth.
SliceContext contextOf(const Report& report, SliceId slice);

// Returns the rate of a copy or memset in bytes per second; nullopt for other slices, for an unknown size and
// for a duration of 0.
std::optional<double> throughputOf(const Report& report, SliceId slice);

} // namespace lockstep
