// SPDX-License-Identifier: Apache-2.0
// Work holds the user's changes to the open reports: everything that a workspace file contains besides the
// reports themselves. To add a kind of content, add a member here, a line in work_document.cpp, and a section
// or key in app/window/work_sections.cpp. Report keys are those of the window or, in a value for a file,
// positions in the file. All times are aligned. Value type.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/lanes/lane_state.h"
#include "core/scene/mark_list.h"
#include "core/timeline/place_link.h"
#include "ui/models/alignment_choice.h"

namespace lockstep {

// A saved view; see ViewsController.
struct StoredView {
    PlaceLink place;
    LaneState lanes;
    int scroll = 0; // pixels at scale 1

    friend bool operator==(const StoredView&, const StoredView&) = default;
};
inline constexpr int kViewCount = 9;
using StoredViews = std::array<std::optional<StoredView>, kViewCount>; // index 0 is the view of key 1

// A named lane layout; see LaneSetsController.
struct LaneSet {
    std::string name; // unique, not empty
    LaneState lanes;  // uses only hidden, pinned, opened, grouping, sort and order

    friend bool operator==(const LaneSet&, const LaneSet&) = default;
};
using LaneSets = std::vector<LaneSet>; // in the order of first saving

// A SQL query whose answer is shown as lanes; see QueryLanesController.
struct LaneQuery {
    int64_t number = 0; // at least 1, unique in the workspace; part of the lane keys
    std::string title;
    std::string query; // not empty

    friend bool operator==(const LaneQuery&, const LaneQuery&) = default;
};
inline constexpr size_t kMaxLaneQueries = 16;
using LaneQueries = std::vector<LaneQuery>; // in the order of their lanes

struct Work {
    AlignmentChoice alignment;
    std::map<ReportKey, Identity> stated; // identities set by the user; only reports that have one
    std::set<ReportKey> hidden;           // open reports that are not shown
    LaneState lanes;
    std::vector<TimeRange> openedGaps; // expanded gaps of the time axis
    LaneSets laneSets;
    StoredViews views;
    LaneQueries laneQueries;
    MarkList marks;
    // Only in a value that is saved or restored. The ViewState of the window owns the current values.
    std::optional<TimeRange> visible, selected;

    Work(); // not inline: GCC 12 otherwise warns of uninitialized members of temporary objects

    // Returns the work with report keys replaced according to `numbers`. Drops the content of reports that
    // are not in `numbers`.
    Work renumbered(const std::map<ReportKey, ReportKey>& numbers) const;
    // Drops the content that belongs to this report.
    void forget(ReportKey key);

    friend bool operator==(const Work&, const Work&) = default;
};

} // namespace lockstep
