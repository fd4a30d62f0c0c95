// SPDX-License-Identifier: Apache-2.0
// Snap: the edge that a point in a lane is meant to be at, for measuring: where slices and collectives begin
// and end. Pure; any thread.
#pragma once

#include "core/align/alignment.h"
#include "core/scene/scene.h"

namespace lockstep {

// A point on the axis, in a report's lane or on the axis itself.
struct EdgePoint {
    TraceTime aligned;
    TrackRef track;     // whose lane; an invalid report: the axis itself
    SliceRef slice;     // whose edge it is; invalid: none, it is where it was put
    bool isEnd = false; // of that slice

    friend bool operator==(const EdgePoint&, const EdgePoint&) = default;
};

// The nearest edge of a slice of the track, or of a collective of its report, within `reach` on either side;
// of equally near ones the track's. Without any the point itself. O(log slices + collectives within reach).
EdgePoint snapped(const Scene& scene, TrackRef track, TraceTime aligned, Duration reach);

// The next edge in the point's track, later or earlier; the point itself where there is none. Looks at a
// thousand slices around it at most.
EdgePoint nextEdge(const Scene& scene, const EdgePoint& point, bool isForward);

// "begin of gemm", "end of ncclAllReduce", "no edge".
std::string edgeText(const Scene& scene, const EdgePoint& point);

} // namespace lockstep
