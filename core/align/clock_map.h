// SPDX-License-Identifier: Apache-2.0
// ClockMap: the conversion from one report's clock to the workspace's aligned axis, with its method and
// bound. Made by alignReports(), read by everything that shows or exports a time. Stored stamps are never
// rewritten.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/time.h"

namespace lockstep {

enum class AlignMethod : uint8_t {
    none,        // could not be placed: put at the axis' zero, order against other reports unknown
    zero,        // put at zero because the user asked for it
    wallclock,   // by the wall clock the file states
    reference,   // the axis is this report's own clock
    host,        // by the host's system or wall clock, shared with another report of the same boot
    collectives, // wall clock corrected by the ends of collectives
    exchange, // the same, or by the middle of what is possible, bounded by comparisons of the hosts' clocks
    step,     // its chosen step starts at zero
    marker,   // its chosen annotation starts at zero
    manual    // placed by the user
};

// "none", "zero", "wallclock", "reference", "host", "collectives", "exchange", "step", "marker", "manual".
std::string_view alignMethodName(AlignMethod method);

// How far a placement may be trusted against other reports.
enum class ClockConfidence : uint8_t {
    none,      // nothing is known, or times are laid over each other on purpose
    wallclock, // as good as the hosts' clocks: milliseconds or more
    fair,      // an estimate within 1 ms that no guarantee narrows
    good,      // guaranteed within 100 us
    exact      // the same clock as the reference
};

// "none", "wallclock", "fair", "good", "exact".
std::string_view clockConfidenceName(ClockConfidence confidence);

// From a moment on, the report's clock had been stepped: stamps from `at` on get jump_ns added as well.
struct ClockStep {
    TraceTime at; // report clock
    int64_t jump_ns = 0;

    friend bool operator==(const ClockStep&, const ClockStep&) = default;
};

// What is certain of an offset: its guaranteed values, where the aligned time may lie besides what the map
// says.
struct ClockInterval {
    int64_t earliest_ns = 0; // <= 0 when the map keeps within its guarantee: true time - mapped time, least
    int64_t latest_ns = 0;   // the greatest

    friend bool operator==(const ClockInterval&, const ClockInterval&) = default;
};

struct ClockMap {
    int64_t offset_ns = 0; // aligned = trace + offset + drift * (trace - driftOrigin) + steps
    int64_t drift_ppb = 0; // parts per 10^9
    TraceTime driftOrigin; // report clock
    AlignMethod method = AlignMethod::none;
    std::optional<int64_t>
        bound_ns;       // guaranteed: largest error against the reference's clock; absent: none can be stated
    std::string reason; // one sentence: why this method, where the numbers come from

    std::vector<ClockStep> steps; // sorted; nearly always empty
    uint32_t domain = 0;          // reports of equal domain read one clock
    int64_t domainError_ns = 0;   // against reports of the same domain: 0, or what a calibration leaves
    ClockConfidence confidence = ClockConfidence::none;
    int64_t correction_ns = 0;       // what collectives took off the wall clock's placement, at driftOrigin
    std::optional<int64_t> error_ns; // likely error of an estimate; never below 20 us across hosts
    std::optional<int64_t> driftError_ppb;   // standard error
    std::optional<ClockInterval> guaranteed; // at driftOrigin; absent: one-sided, or unknown
    uint32_t anchorsUsed = 0;                // collectives that tie the domain to others
    uint32_t violationsBefore = 0; // collectives that ended before they began elsewhere, by wall clock
    uint32_t violationsAfter = 0;  // under this map

    friend bool operator==(const ClockMap&, const ClockMap&) = default;

    // Exact; drift is rounded toward zero. What lies past the ends of int64, either way, is its end.
    TraceTime alignedFromTrace(TraceTime t) const;
    // Inverse of alignedFromTrace within 1 ns for |drift| < 10^6 ppb, exact without drift. Where a clock was
    // stepped, the last stamp that maps there.
    TraceTime traceFromAligned(TraceTime t) const;
    TimeRange alignedFromTrace(TimeRange r) const
    {
        return {alignedFromTrace(r.begin), alignedFromTrace(r.end)};
    }
    TimeRange traceFromAligned(TimeRange r) const
    {
        return {traceFromAligned(r.begin), traceFromAligned(r.end)};
    }
    bool isPlaced() const { return method != AlignMethod::none; }
};

} // namespace lockstep
