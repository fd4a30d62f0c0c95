// SPDX-License-Identifier: Apache-2.0
// LateActivity: what a rank did while the others waited for it at a collective. Read off its own report, on
// its own clock, so that no alignment enters. Pure; any thread.
#pragma once

#include "core/trace/report.h"

namespace lockstep {

struct LateActivity {
    SliceId slice;      // GPU work other than communication, or what the launching thread did; may be invalid
    SliceId annotation; // innermost NVTX range or annotation of the user around the launch; may be invalid
    bool isHostBound = false; // the GPU had too little to do while the others waited: the host was late
};

// The last GPU work before the collective, or the host's slice around its launch. O(log n + overlap).
LateActivity activityBefore(const Report& report, SliceId collective);

// What took most of the span [start - late, start) before the collective, summed by name: the GPU's work
// where it fills half of the span or more, else what the launching thread did itself in as long a span before
// its launch. late: for how long the others waited (the collective's imbalance); without it activityBefore().
// O(log n + slices of the span).
LateActivity lateActivity(const Report& report, SliceId collective, Duration late);

} // namespace lockstep
