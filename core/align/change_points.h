// SPDX-License-Identifier: Apache-2.0
// Finds change points: if a clock was stepped during the recording (NTP), its difference from other clocks
// shows a jump. Pure; any thread.
#pragma once

#include <optional>
#include <span>

#include "core/align/robust_statistics.h"

namespace lockstep {

struct ClockJump {
    double time_ns = 0; // from this time on, the clock is ahead by jump_ns more
    double jump_ns = 0;
    double score = 0; // jump divided by the scatter of such differences

    friend bool operator==(const ClockJump&, const ClockJump&) = default;
};

// Returns the largest jump of the series (x = time, y = ns); the series may also follow a line. The jump must
// be at least 50 us and at least 8 times the scatter of differences between neighboring segments. Returns
// nullopt for fewer than 64 points in total or 16 on either side of the jump.
std::optional<ClockJump> findJump(std::span<const SeriesPoint> series);

} // namespace lockstep
