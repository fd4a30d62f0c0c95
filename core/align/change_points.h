// SPDX-License-Identifier: Apache-2.0
// A change point: where a clock was stepped while it was recorded (NTP), seen as a jump in a series of
// differences to other clocks. Pure; any thread.
#pragma once

#include <optional>
#include <span>

#include "core/align/robust_statistics.h"

namespace lockstep {

struct ClockJump {
    double time_ns = 0; // from here on ...
    double jump_ns = 0; // ... the clock is ahead by this much more
    double score = 0;   // jump over the scatter of such differences

    friend bool operator==(const ClockJump&, const ClockJump&) = default;
};

// The largest jump of the series (x = time, y = ns), which may also run along a line: at least 8 times the
// scatter of differences between neighbouring stretches and at least 50 us. Needs 64 points, and 16 on each
// side of the jump.
std::optional<ClockJump> findJump(std::span<const SeriesPoint> series);

} // namespace lockstep
