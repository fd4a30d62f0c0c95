// SPDX-License-Identifier: Apache-2.0
// Snap: snaps a point in a lane to the nearest edge, for measuring. An edge is the start or end of a slice or
// collective. Pure. Thread: any.
#pragma once

#include "core/align/alignment.h"
#include "core/scene/scene.h"

namespace lockstep {

// A point on the axis, in a report's lane or on the axis itself.
struct EdgePoint {
    TraceTime aligned;
    TrackRef track;     // track in the lane; with an invalid report, the axis itself
    SliceRef slice;     // slice to whose edge the point was snapped; invalid: not snapped
    bool isEnd = false; // true: end of that slice; false: its start

    friend bool operator==(const EdgePoint&, const EdgePoint&) = default;
};

// Returns the nearest edge within `reach` on either side: the edge of a slice on the track, or of a
// collective in the track's report. In ties, the slice takes precedence. Returns the point itself if there is
// no such edge. O(log slices + collectives within reach).
EdgePoint snapped(const Scene& scene, TrackRef track, TraceTime aligned, Duration reach);

// Returns the next later or earlier edge on the point's track, or the point itself if there is none. Examines
// at most a thousand slices near the point.
EdgePoint nextEdge(const Scene& scene, const EdgePoint& point, bool isForward);

// Returns "start of gemm", "end of ncclAllReduce" or "not snapped".
std::string edgeText(const Scene& scene, const EdgePoint& point);

} // namespace lockstep
