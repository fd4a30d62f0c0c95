// SPDX-License-Identifier: Apache-2.0
// Alignment: one ClockMap per report of a workspace and the meaning of the common axis. It speaks of every
// part of that workspace too: keys are the same. Made by
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
    automatic,   // the best that the data supports: collectives and the exchange of clocks, else host, else
                 // wallclock, report by report
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

// Moves reports on the axis, whatever else placed them: what is added to every aligned time of each, in ns.
// Typed, dragged with a lane, or read from a file.
using ManualShifts = std::map<ReportKey, int64_t>;

// A placement that the user accepted: it stays, however the others are aligned later.
struct KeptClock {
    ClockMap map;
    std::optional<int64_t> utcAtZero_ns; // of the axis that it was made on

    friend bool operator==(const KeptClock&, const KeptClock&) = default;
};

struct AlignOptions {
    AlignMode mode = AlignMode::automatic;
    std::optional<int64_t> step; // mode step: the number as marked; absent: the first that all reports have
    std::string marker;          // mode marker: the exact text
    size_t occurrence = 0;       // mode marker: which of equal texts, from 0
    ManualShifts shifts_ns;      // in every mode
    // Before manual shifts. One made on an axis with UTC counts on such axes only, and the other way around:
    // reports laid over each other on purpose have no common clock.
    std::map<ReportKey, KeptClock> kept;
    MatchOptions matching;

    friend bool operator==(const AlignOptions&, const AlignOptions&) = default;
};

// What a time difference between two reports is worth.
struct PairError {
    std::optional<int64_t> likely_ns; // "12.3 us +- this"; absent: nothing better than wall clocks is known
    std::optional<int64_t> guaranteed_ns; // no difference is off by more; a gap smaller than it is undecided
};

struct Alignment {
    ByReport<ClockMap> maps;
    ByReport<bool> isAligned; // false: placeNewcomers() gave it a place
    std::optional<int64_t>
        utcAtZero_ns;  // Unix-epoch ns of the axis' zero; absent when no report has a wall clock
    std::string basis; // one sentence: what the axis rests on and why nothing better
    std::shared_ptr<const CollectiveFit> collectives; // modes automatic and collectives; else null
    std::shared_ptr<const ExchangeFit>
        exchange; // the same modes, where hosts compared their clocks; else null

    const ClockMap& map(ReportKey key) const { return maps[key]; }
    // Whether it was made of this report among others.
    bool speaksOf(ReportKey key) const { return isAligned.has(key) && isAligned[key]; }
    // From the first to the last stamp of these reports, on the aligned axis; empty when there are none.
    TimeRange extent(const Workspace& workspace) const;
    // Exact ({0, 0}) inside one report, whatever the mode. Absent across reports laid over each other on
    // purpose.
    PairError errorBetween(ReportKey a, ReportKey b) const;
};

// Zero of the axis is the earliest session start of the reports that state a wall clock (a report without a
// session starts at its first stamp), as the reference's clock has it. A report that cannot be placed is put
// so that its own start is at zero, with method none. Modes zero, step and marker have no UTC: their zero is
// another moment in each report. Collectives of many ranks take seconds: call it off the UI thread. This one
// works alone.
Alignment alignReports(const Workspace& workspace, const AlignOptions& options);
// The same on all workers; canceled soon after it was asked for.
Result<Alignment> alignReports(const Workspace& workspace, const AlignOptions& options,
                               const Progress& progress);

// Puts reports that the alignment does not speak of onto its axis, until it is made anew: by their wall
// clocks, else so that their own start is at zero. An axis without any report gets its zero from them.
void placeNewcomers(Alignment& alignment, const Workspace& workspace);

} // namespace lockstep
