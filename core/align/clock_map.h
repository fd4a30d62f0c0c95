// SPDX-License-Identifier: Apache-2.0
// ClockMap: the conversion from one report's clock to the aligned axis of the workspace, with its method and
// error bound. Created by alignReports() and used by all code that displays or exports times. Stored
// timestamps are never rewritten. core/align/README.md explains the clock model.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/time.h"

namespace lockstep {

enum class AlignMethod : uint8_t {
    none,      // could not be aligned: placed at zero, and its order relative to other reports is unknown
    zero,      // placed at zero at the user's request
    wallclock, // by the wall clock recorded in the file
    reference, // the axis is this report's own clock
    // by the system clock or wall clock of the host, shared with another report of the same boot
    host,
    collectives, // wall clock, corrected by the ends of collectives
    // within the bounds of the hosts' clock exchange: corrected by collectives, or in the middle of the
    // possible range
    exchange,
    step,   // the chosen step of the report starts at zero
    marker, // the chosen annotation of the report starts at zero
    manual  // placed by the user
};

// Returns "none", "zero", "wallclock", "reference", "host", "collectives", "exchange", "step", "marker" or
// "manual".
std::string_view alignMethodName(AlignMethod method);

// Confidence of an alignment against other reports.
enum class ClockConfidence : uint8_t {
    none,      // unknown, or the reports are deliberately overlaid
    wallclock, // as accurate as the hosts' clocks: milliseconds or worse
    fair,      // an estimate within 1 ms; no narrower guarantee
    good,      // guaranteed within 100 us
    exact      // the same clock as the reference
};

// Returns "none", "wallclock", "fair", "good" or "exact".
std::string_view clockConfidenceName(ClockConfidence confidence);

// A step of the report's clock. jump_ns is added to all timestamps at or after `at`, in addition to earlier
// steps.
struct ClockStep {
    TraceTime at; // report clock
    int64_t jump_ns = 0;

    friend bool operator==(const ClockStep&, const ClockStep&) = default;
};

// Guaranteed range of the true time relative to the mapped time.
struct ClockInterval {
    int64_t earliest_ns = 0; // smallest (true time - mapped time); <= 0 if the map is within its guarantee
    int64_t latest_ns = 0;   // largest (true time - mapped time)

    friend bool operator==(const ClockInterval&, const ClockInterval&) = default;
};

struct ClockMap {
    int64_t offset_ns = 0; // aligned = trace + offset + drift * (trace - driftOrigin) + steps
    int64_t drift_ppb = 0; // parts per 10^9
    TraceTime driftOrigin; // report clock
    AlignMethod method = AlignMethod::none;
    // Guaranteed largest error against the reference clock, from the first to the last matched collective, or
    // for all timestamps if determined by clock exchange; absent if unknown.
    std::optional<int64_t> bound_ns;
    std::string reason; // one sentence: the reason for this method and the source of the numbers

    std::vector<ClockStep> steps; // sorted; nearly always empty
    uint32_t domain = 0;          // reports with equal domain share one clock
    // Error against reports of the same domain: 0, or the remaining calibration error.
    int64_t domainError_ns = 0;
    ClockConfidence confidence = ClockConfidence::none;
    // correction that collectives add to the wall clock, at driftOrigin
    int64_t correction_ns = 0;
    // Likely error. An estimate from collectives across hosts never has less than 20 us.
    std::optional<int64_t> error_ns;
    std::optional<int64_t> driftError_ppb;   // standard error
    std::optional<ClockInterval> guaranteed; // at driftOrigin; absent if one-sided or unknown
    uint32_t anchorsUsed = 0;                // collectives that connect the domain with others
    // collectives that, by wall clock, ended in one report before they began in another
    uint32_t violationsBefore = 0;
    uint32_t violationsAfter = 0; // same count under this map

    friend bool operator==(const ClockMap&, const ClockMap&) = default;

    // Converts to the axis. Exact, except that drift is rounded toward zero. Results outside the int64 range
    // are clamped.
    TraceTime alignedFromTrace(TraceTime t) const;
    // Inverse of alignedFromTrace(), within 1 ns for |drift| < 10^6 ppb and exact without drift. At a clock
    // step, returns the last timestamp that maps to `t`.
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
