// SPDX-License-Identifier: Apache-2.0
// Alignment: one ClockMap per report of a workspace and the definition of the common axis. Indexed by the
// report keys of that workspace, also for workspaces that contain only some of its reports. Created by
// alignReports(), a pure function of the workspace and the options.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "core/align/clock_map.h"
#include "core/align/collective_matching.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/trace/workspace.h"

namespace lockstep {

struct CollectiveFit;
struct ExchangeFit;

enum class AlignMode : uint8_t {
    // The best method that the data supports, selected per report: collectives and clock exchange, otherwise
    // host, otherwise wallclock.
    automatic,
    wallclock,   // the wall clock recorded in each file
    zero,        // every report starts at zero
    collectives, // same as automatic, with the same rejections
    host,        // shared clocks of one host and boot, otherwise wallclock
    step,        // each report's chosen training step starts at zero
    marker,      // each report's chosen annotation starts at zero
    manual       // host, plus the user's offsets
};

// Returns "auto", "wallclock", "zero", "collectives", "host", "step", "marker" or "manual".
std::string_view alignModeName(AlignMode mode);
// Inverse of alignModeName(); invalid lists the valid names.
Result<AlignMode> alignModeNamed(std::string_view name);

// Manual offsets in ns that are added to all aligned times of a report, after any other alignment. The user
// types them, drags a lane, or loads them from a file.
using ManualShifts = std::map<ReportKey, int64_t>;

// A clock alignment that the user accepted; it stays unchanged when other clocks are realigned.
struct AcceptedClock {
    ClockMap map;
    // UTC time of the zero of the axis on which the user accepted the alignment
    std::optional<int64_t> utcAtZero_ns;

    friend bool operator==(const AcceptedClock&, const AcceptedClock&) = default;
};

struct AlignOptions {
    AlignMode mode = AlignMode::automatic;
    // Mode step: the recorded step number. If absent, the number that most reports have; on a tie, the
    // smallest one.
    std::optional<int64_t> step;
    std::string marker;     // mode marker: the exact text
    size_t occurrence = 0;  // mode marker: zero-based index among annotations with the same text
    ManualShifts shifts_ns; // in every mode
    // Applied before manual offsets. An alignment accepted on an axis with UTC applies only to axes with UTC,
    // and vice versa: reports that are deliberately overlaid have no common clock.
    std::map<ReportKey, AcceptedClock> accepted;
    MatchOptions matching;

    friend bool operator==(const AlignOptions&, const AlignOptions&) = default;
};

// Error of the time difference between two reports.
struct PairError {
    std::optional<int64_t> likely_ns; // likely error; absent if only wall clocks are known
    // Guaranteed upper bound. If two events are closer together than this, their order is unknown.
    std::optional<int64_t> guaranteed_ns;
};

struct Alignment {
    ByReport<ClockMap> maps;
    ByReport<bool> isAligned; // false if placeNewReports() placed the report
    // Unix time in ns of the zero of the axis; absent if no report has a wall clock.
    std::optional<int64_t> utcAtZero_ns;
    std::string basis; // one sentence: the basis of the axis and why no better basis is available
    std::shared_ptr<const CollectiveFit> collectives; // modes automatic and collectives; otherwise null
    // modes automatic and collectives, if hosts exchanged clock readings; otherwise null
    std::shared_ptr<const ExchangeFit> exchange;

    const ClockMap& map(ReportKey key) const { return maps[key]; }
    // Returns true if the report was part of this alignment.
    bool coversReport(ReportKey key) const { return isAligned.has(key) && isAligned[key]; }
    // Returns the range from the first to the last timestamp of these reports on the aligned axis; empty if
    // there are no reports.
    TimeRange extent(const Workspace& workspace) const;
    // Returns the error between two reports. The error is exact ({0, 0}) within one report in any mode, and
    // absent between reports that are deliberately overlaid.
    PairError errorBetween(ReportKey a, ReportKey b) const;
};

// Aligns reports. The zero of the axis is the earliest session start of the reports with a wall clock (a
// report without a session starts at its first timestamp), on the reference clock. A report that cannot be
// aligned starts at zero, with method none. Modes zero, step and marker have no UTC, because their zero is a
// different point in time in each report. With collectives of many ranks the alignment takes seconds, so do
// not call this function on the UI thread. This overload uses only the calling thread.
Alignment alignReports(const Workspace& workspace, const AlignOptions& options);
// Like the overload above, but uses all workers. Returns canceled soon after a stop request.
Result<Alignment> alignReports(const Workspace& workspace, const AlignOptions& options,
                               const Progress& progress);

// Places reports that are missing from the alignment on its axis until the alignment is recomputed: by wall
// clock, otherwise starting at zero. If the axis has no reports, they define its zero.
void placeNewReports(Alignment& alignment, const Workspace& workspace);

} // namespace lockstep
