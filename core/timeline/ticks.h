// SPDX-License-Identifier: Apache-2.0
// Ticks: positions and labels for the ruler, in aligned time. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/timeline/pixel_scale.h"

namespace lockstep {

struct Tick {
    TraceTime at;
    bool isMajor = false;
    std::string label; // only for major ticks

    friend bool operator==(const Tick&, const Tick&) = default;
};

struct TickScale {
    TraceTime base;        // time to which labels that begin with '+' are relative
    std::string baseLabel; // "1.204 s"; empty if labels are absolute times
    Duration step; // distance between major ticks: 1, 2 or 5 times a power of ten (minutes and hours from 60
                   // s upward with UTC)
    std::vector<Tick> ticks; // times in ascending order, within the range
};

// Major ticks are at least minSpacing pixels apart, with 5 minor intervals between them (4 for steps of 2).
// utcAtZero_ns: if set, labels show the UTC time of day instead of the time since zero on the axis.
TickScale ticksFor(TimeRange visible, int width, int minSpacing, std::optional<int64_t> utcAtZero_ns = {});
// Returns one list of ticks for each run of pixels without a collapsed gap, in order. All lists have the same
// distance between ticks.
std::vector<TickScale> ticksFor(const PixelScale& scale, int minSpacing,
                                std::optional<int64_t> utcAtZero_ns = {});

} // namespace lockstep
