// SPDX-License-Identifier: Apache-2.0
// Ticks: where a ruler puts its marks and what it writes there. Pure; aligned times.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/timeline/pixel_scale.h"

namespace lockstep {

struct Tick {
    TraceTime at;
    bool isMajor = false;
    std::string label; // of major ticks

    friend bool operator==(const Tick&, const Tick&) = default;
};

struct TickScale {
    TraceTime base;        // what labels with a + count from
    std::string baseLabel; // "1.204 s"; empty when labels are whole times
    Duration
        step; // between major ticks: 1, 2 or 5 times a power of ten (of 60 s and up with UTC: minutes, hours)
    std::vector<Tick> ticks; // ascending, within the range
};

// Major ticks are at least minSpacing pixels apart, with 5 (or 4, of steps of 2) minor parts between them.
// utcAtZero_ns: label with the UTC time of day instead of the time since the axis' zero.
TickScale ticksFor(TimeRange visible, int width, int minSpacing, std::optional<int64_t> utcAtZero_ns = {});
// Of each run of pixels without a fold one, in order, all with one step.
std::vector<TickScale> ticksFor(const PixelScale& scale, int minSpacing,
                                std::optional<int64_t> utcAtZero_ns = {});

} // namespace lockstep
