// SPDX-License-Identifier: Apache-2.0
// LateActivity: the activity of a rank while the others waited for it at a collective. Determined from the
// rank's own report and clock, so the result does not depend on the alignment. Pure; any thread.
#pragma once

#include "core/trace/report.h"

namespace lockstep {

struct LateActivity {
    // GPU work other than communication, or host activity of the launching thread; may be invalid.
    SliceId slice;
    // innermost NVTX range or user annotation that contains the launch; may be invalid
    SliceId annotation;
    bool isHostBound = false; // the GPU was underutilized while the others waited: the host was late
};

// Returns the last GPU work before the collective, or the host slice around its launch. O(log n + overlap).
LateActivity activityBefore(const Report& report, SliceId collective);

// Returns the activity with the largest total by name in [start - late, start) before the collective. This is
// GPU work if GPU work fills at least half of the span, otherwise activity of the launching thread in an
// equally long span before the launch. `late` is how long the other ranks waited (the imbalance of the
// collective); if it is zero, the result is that of activityBefore(). O(log n + slices of the span).
LateActivity lateActivity(const Report& report, SliceId collective, Duration late);

} // namespace lockstep
