// Alignment: one ClockMap per report of a workspace and the meaning of the common axis. Made by alignReports(), a pure
// function of the workspace and the options.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/align/clock_map.h"
#include "core/trace/workspace.h"

namespace lockstep {

enum class AlignMode : uint8_t { automatic, wallclock, zero };

struct AlignOptions {
    AlignMode mode = AlignMode::automatic;
};

struct Alignment {
    std::vector<ClockMap> maps;           // by ReportId
    std::optional<int64_t> utcAtZero_ns;  // Unix-epoch ns of the axis' zero; absent when no report has a wall clock

    const ClockMap& map(ReportId id) const { return maps[id.value]; }
    // From the first to the last stamp of all reports, on the aligned axis; empty when there are none.
    TimeRange extent(const Workspace& workspace) const;
};

// Zero of the axis is the earliest session start of the reports that could be placed (a report without a session
// starts at its first stamp). automatic = wallclock where a report states one; reports that do not are put so that
// their own start is at zero, with method none. mode zero puts every report's start at zero.
Alignment alignReports(const Workspace& workspace, const AlignOptions& options);

} // namespace lockstep
