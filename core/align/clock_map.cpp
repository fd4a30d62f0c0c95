// SPDX-License-Identifier: Apache-2.0
#include "core/align/clock_map.h"

#include <algorithm>
#include <limits>

namespace lockstep {

namespace {

constexpr __int128 kBillion = 1'000'000'000;

// Clamps times to the ends of the axis. On each clock, these ends mean "unlimited".
TraceTime timeAt(__int128 ns)
{
    using Limits = std::numeric_limits<int64_t>;
    return {static_cast<int64_t>(std::clamp<__int128>(ns, Limits::min(), Limits::max()))};
}

__int128 driftAt(const ClockMap& map, TraceTime t)
{
    if (map.drift_ppb == 0) return 0;
    return (__int128(t.ns) - map.driftOrigin.ns) * map.drift_ppb / kBillion;
}

// Converts without steps, or with the steps up to a given time folded into shift_ns.
TraceTime traceWithoutSteps(const ClockMap& map, TraceTime t, int64_t shift_ns)
{
    const __int128 moved = __int128(t.ns) - map.offset_ns - shift_ns;
    if (map.drift_ppb == 0) return timeAt(moved);
    const __int128 sinceOrigin = moved - map.driftOrigin.ns;
    return timeAt(map.driftOrigin.ns + sinceOrigin * kBillion / (kBillion + map.drift_ppb));
}

} // namespace

std::string_view alignMethodName(AlignMethod method)
{
    switch (method) {
    case AlignMethod::none:
        return "none";
    case AlignMethod::zero:
        return "zero";
    case AlignMethod::wallclock:
        return "wallclock";
    case AlignMethod::reference:
        return "reference";
    case AlignMethod::host:
        return "host";
    case AlignMethod::collectives:
        return "collectives";
    case AlignMethod::exchange:
        return "exchange";
    case AlignMethod::step:
        return "step";
    case AlignMethod::marker:
        return "marker";
    case AlignMethod::manual:
        return "manual";
    }
    return "unknown";
}

std::string_view clockConfidenceName(ClockConfidence confidence)
{
    switch (confidence) {
    case ClockConfidence::none:
        return "none";
    case ClockConfidence::wallclock:
        return "wallclock";
    case ClockConfidence::fair:
        return "fair";
    case ClockConfidence::good:
        return "good";
    case ClockConfidence::exact:
        return "exact";
    }
    return "unknown";
}

TraceTime ClockMap::alignedFromTrace(TraceTime t) const
{
    __int128 aligned_ns = __int128(t.ns) + offset_ns + driftAt(*this, t);
    for (const ClockStep& step : steps) {
        if (t >= step.at) aligned_ns += step.jump_ns;
    }
    return timeAt(aligned_ns);
}

TraceTime ClockMap::traceFromAligned(TraceTime t) const
{
    int64_t shift_ns = 0;
    for (const ClockStep& step : steps)
        shift_ns += step.jump_ns;
    for (size_t i = steps.size(); i > 0; --i) {
        const TraceTime candidate = traceWithoutSteps(*this, t, shift_ns);
        if (candidate >= steps[i - 1].at) return candidate;
        shift_ns -= steps[i - 1].jump_ns;
        // The time is in a gap of the aligned axis, to which no timestamp maps. The time of the step is used
        // as the nearest one.
        const TraceTime before = traceWithoutSteps(*this, t, shift_ns);
        if (before >= steps[i - 1].at) return steps[i - 1].at;
    }
    return traceWithoutSteps(*this, t, shift_ns);
}

} // namespace lockstep
