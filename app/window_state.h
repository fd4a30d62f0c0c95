// SPDX-License-Identifier: Apache-2.0
// WindowState: what of a window belongs to the work in it and not to the person: how reports were aligned,
// which are hidden, what part of the axis is seen, and which lanes were folded, hidden or pinned. Kept in a
// workspace file as its section "window", JSON with a version. Reports are told by their position in the
// file. A value.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "core/lanes/lane_state.h"
#include "ui/models/alignment_choice.h"

namespace lockstep {

// The name of the section.
inline constexpr const char* kWindowSection = "window";

struct WindowState {
    AlignmentChoice alignment;         // keys are positions in the file
    std::set<size_t> hiddenReports;    // by position in the file
    std::optional<TimeRange> visible;  // aligned
    std::optional<TimeRange> selected; // aligned
    std::vector<TimeRange> openedGaps; // aligned
    LaneState lanes;

    friend bool operator==(const WindowState&, const WindowState&) = default;
};

// Of lanes alone, as a JSON object; what makes no sense in a text is left at its default.
std::string laneStateText(const LaneState& lanes);
LaneState parseLaneState(std::string_view text);

// The same state gives the same bytes.
std::string windowStateText(const WindowState& state);
// unsupported when it is no JSON of a version this build knows. Parts that make no sense are left at their
// defaults; shifts and hidden reports beyond `reports` are dropped.
Result<WindowState> parseWindowState(std::string_view text, size_t reports);

} // namespace lockstep
