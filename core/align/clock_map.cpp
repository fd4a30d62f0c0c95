#include "core/align/clock_map.h"

namespace lockstep {

namespace {

constexpr __int128 kBillion = 1'000'000'000;

} // namespace

std::string_view alignMethodName(AlignMethod method)
{
    switch (method) {
    case AlignMethod::none: return "none";
    case AlignMethod::zero: return "zero";
    case AlignMethod::wallclock: return "wallclock";
    case AlignMethod::reference: return "reference";
    }
    return "unknown";
}

TraceTime ClockMap::alignedFromTrace(TraceTime t) const
{
    if (drift_ppb == 0) return {t.ns + offset_ns};
    const __int128 drift = __int128(t.ns - driftOrigin.ns) * drift_ppb / kBillion;
    return {t.ns + offset_ns + static_cast<int64_t>(drift)};
}

TraceTime ClockMap::traceFromAligned(TraceTime t) const
{
    if (drift_ppb == 0) return {t.ns - offset_ns};
    const __int128 sinceOrigin = __int128(t.ns) - offset_ns - driftOrigin.ns;
    return {driftOrigin.ns + static_cast<int64_t>(sinceOrigin * kBillion / (kBillion + drift_ppb))};
}

} // namespace lockstep
