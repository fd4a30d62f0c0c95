// Selection: the one slice and the one time range that the user points at. A value, owned by the timeline
// view.
#pragma once

#include <optional>

#include "core/trace/workspace.h"

namespace lockstep {

struct Selection {
    SliceRef slice;                 // invalid = none
    std::optional<TimeRange> range; // aligned

    friend bool operator==(const Selection&, const Selection&) = default;
};

} // namespace lockstep
