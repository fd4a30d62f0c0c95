// SPDX-License-Identifier: Apache-2.0
// WindowState is the part of a window's state that belongs to the workspace and not to the user's settings:
// alignment, hidden reports, visible range, and collapsed, hidden or pinned lanes. Stored as versioned JSON
// in the "window" section of a workspace file. Reports are identified by their position in the file. A value.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "core/lanes/lane_state.h"
#include "ui/models/alignment_choice.h"

namespace lockstep {

// Name of the section.
inline constexpr const char* kWindowSection = "window";

struct WindowState {
    AlignmentChoice alignment;         // report keys in it are positions in the file
    std::set<size_t> hiddenReports;    // by position in the file
    std::optional<TimeRange> visible;  // aligned
    std::optional<TimeRange> selected; // aligned
    std::vector<TimeRange> openedGaps; // aligned
    LaneState lanes;

    friend bool operator==(const WindowState&, const WindowState&) = default;
};

// Convert only the lane state to and from a JSON object. Invalid values are replaced by defaults.
std::string laneStateText(const LaneState& lanes);
LaneState parseLaneState(std::string_view text);

// Returns the state as JSON. Equal states give equal bytes.
std::string windowStateText(const WindowState& state);
// Parses JSON. Invalid values are replaced by defaults. Drops shifts and hidden reports at positions beyond
// `reports`. Error: unsupported (invalid JSON or unknown version).
Result<WindowState> parseWindowState(std::string_view text, size_t reports);

} // namespace lockstep
