// SPDX-License-Identifier: Apache-2.0
// The sections of a workspace file that hold the Work of a window, each versioned JSON: "window" (alignment,
// hidden reports, view and lanes), "marks", "views", "lane_sets" and "query_lanes". Saving and the journal of
// unsaved work both use them. Reports are identified by their position in the file. Pure. Thread: any.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "ui/models/work.h"

namespace lockstep {

using WorkSections = std::map<std::string, std::string>; // text by section name

struct ReadWork {
    Work work;                          // report keys are positions in the file
    std::vector<MessageWithHelp> notes; // one sentence for everything that could not be read
    WorkSections unread;                // sections that this build cannot read
};

// Returns the sections for `work`, whose report keys are positions in the file. Equal work gives equal bytes.
// `unread`: sections of the file that could not be read. Such a section is left out, so that it stays in the
// file, unless the work has content for it; then its text is kept under "NAME, not read".
WorkSections sectionsOf(const Work& work, const WorkSections& unread = {});
// Reads the sections of a file with this number of reports. Content without a readable section is taken from
// `base`. Invalid values are replaced by defaults, and positions beyond the last report are dropped.
ReadWork readWork(const WorkSections& sections, size_t reports, Work base = {});

// Copies the parts of the lane state that a lane layout stores.
void takeLayout(const LaneState& from, LaneState& to);

} // namespace lockstep
