// ClockMap: the conversion from one report's clock to the workspace's aligned axis, with its method and bound. Made by
// alignReports(), read by everything that shows or exports a time. Stored stamps are never rewritten.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/time.h"

namespace lockstep {

enum class AlignMethod : uint8_t {
    none,       // could not be placed: put at the axis' zero, order against other reports unknown
    zero,       // put at zero because the user asked for it
    wallclock,  // by the wall clock the file states
    reference   // the axis is this report's own clock
};

// "none", "zero", "wallclock", "reference".
std::string_view alignMethodName(AlignMethod method);

struct ClockMap {
    int64_t offset_ns = 0;  // aligned = trace + offset + drift * (trace - driftOrigin)
    int64_t drift_ppb = 0;  // parts per 10^9
    TraceTime driftOrigin;  // report clock
    AlignMethod method = AlignMethod::none;
    std::optional<int64_t> bound_ns; // largest error claimed; absent: no bound can be stated
    std::string reason;     // one sentence: why this method, where the numbers come from

    // Exact in int64; drift is rounded toward zero.
    TraceTime alignedFromTrace(TraceTime t) const;
    // Inverse of alignedFromTrace within 1 ns for |drift| < 10^6 ppb, exact without drift.
    TraceTime traceFromAligned(TraceTime t) const;
    TimeRange alignedFromTrace(TimeRange r) const { return {alignedFromTrace(r.begin), alignedFromTrace(r.end)}; }
    TimeRange traceFromAligned(TimeRange r) const { return {traceFromAligned(r.begin), traceFromAligned(r.end)}; }
    bool isPlaced() const { return method != AlignMethod::none; }
};

} // namespace lockstep
