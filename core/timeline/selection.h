// SPDX-License-Identifier: Apache-2.0
// Selection: the one slice and the one time range that the user points at. A value, owned by the timeline
// view.
#pragma once

#include <optional>
#include <vector>

#include "core/trace/workspace.h"

namespace lockstep {

struct Selection {
    SliceRef slice;                 // invalid = none
    std::optional<TimeRange> range; // aligned
    // The reports whose lanes the range was drawn from and to: a measure over two clocks has an error.
    // Invalid = the axis itself, as from the ruler.
    ReportKey began, ended;
    // Where the slice is part of a collective: all its parts, and the one the others waited for (see
    // peersOf()).
    std::vector<SliceRef> peers;
    SliceRef peersCause;

    friend bool operator==(const Selection&, const Selection&) = default;
};

} // namespace lockstep
