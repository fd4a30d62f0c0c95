// Alignment: one ClockMap per report of a workspace and the meaning of the common axis. Made by
// alignReports(), a pure function of the workspace and the options.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/align/clock_map.h"
#include "core/align/collective_matching.h"
#include "core/base/result.h"
#include "core/trace/workspace.h"

namespace lockstep {

struct CollectiveFit;

enum class AlignMode : uint8_t {
    automatic,   // the best that the data supports: collectives, else host, else wallclock, report by report
    wallclock,   // what each file states
    zero,        // every report starts at zero
    collectives, // as automatic, which it names; refusals are the same
    host,        // shared clocks of one host and boot, else wallclock
    step,        // each report's chosen training step starts at zero
    marker,      // each report's chosen annotation starts at zero
    manual       // host, moved by the user's offsets
};

// "auto", "wallclock", "zero", "collectives", "host", "step", "marker", "manual".
std::string_view alignModeName(AlignMode mode);
// The inverse; invalid lists the words.
Result<AlignMode> alignModeNamed(std::string_view name);

// Moves one report on the axis, whatever else placed it. Typed, dragged with a lane, or read from a file.
struct ManualShift {
    ReportId report;
    int64_t shift_ns = 0; // added to every aligned time of the report

    friend bool operator==(const ManualShift&, const ManualShift&) = default;
};

// A placement that the user accepted: it stays, however the others are aligned later.
struct KeptClock {
    ReportId report;
    ClockMap map;
    std::optional<int64_t> utcAtZero_ns; // of the axis that it was made on

    friend bool operator==(const KeptClock&, const KeptClock&) = default;
};

struct AlignOptions {
    AlignMode mode = AlignMode::automatic;
    std::optional<int64_t> step; // mode step: the number as marked; absent: the first that all reports have
    std::string marker;          // mode marker: the exact text
    size_t occurrence = 0;       // mode marker: which of equal texts, from 0
    std::vector<ManualShift> manual; // in every mode; the last of one report counts
    // Before manual shifts. One made on an axis with UTC counts on such axes only, and the other way around:
    // reports laid over each other on purpose have no common clock.
    std::vector<KeptClock> kept;
    MatchOptions matching;

    friend bool operator==(const AlignOptions&, const AlignOptions&) = default;
};

// What a time difference between two reports is worth.
struct PairError {
    std::optional<int64_t> likely_ns; // "12.3 us +- this"; absent: nothing better than wall clocks is known
    std::optional<int64_t> guaranteed_ns; // no difference is off by more; a gap smaller than it is undecided
};

struct Alignment {
    std::vector<ClockMap> maps; // by ReportId
    std::optional<int64_t>
        utcAtZero_ns;  // Unix-epoch ns of the axis' zero; absent when no report has a wall clock
    std::string basis; // one sentence: what the axis rests on and why nothing better
    std::shared_ptr<const CollectiveFit> collectives; // modes automatic and collectives; else null

    // By ReportId: which report of `collectives` it is, where only some of the aligned ones are shown; empty:
    // they are the same.
    std::vector<uint32_t> fittedReports;

    const ClockMap& map(ReportId id) const { return maps[id.value]; }
    // From the first to the last stamp of all reports, on the aligned axis; empty when there are none.
    TimeRange extent(const Workspace& workspace) const;
    // Exact ({0, 0}) inside one report, whatever the mode. Absent across reports laid over each other on
    // purpose.
    PairError errorBetween(ReportId a, ReportId b) const;
};

// Zero of the axis is the earliest session start of the reports that state a wall clock (a report without a
// session starts at its first stamp), as the reference's clock has it. A report that cannot be placed is put
// so that its own start is at zero, with method none. Modes zero, step and marker have no UTC: their zero is
// another moment in each report. Collectives of many ranks take seconds: call it off the UI thread.
Alignment alignReports(const Workspace& workspace, const AlignOptions& options);

} // namespace lockstep
