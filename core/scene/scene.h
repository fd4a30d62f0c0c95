// SPDX-License-Identifier: Apache-2.0
// Scene: the complete displayed state as one immutable value: the open reports under their keys, their
// identities, the clock alignment, the levels of detail, and the lanes of the shown reports. Created by
// nextScene() and makeScene(), on any thread. The timeline, panels, tables, images, exports, search and the
// workspace file all read it and are therefore consistent.
#pragma once

#include <cstdint>
#include <memory>

#include "core/align/alignment.h"
#include "core/lanes/lane_tree.h"
#include "core/scene/lateness.h"
#include "core/scene/quiet_time.h"
#include "core/scene/role_bubbles.h"

namespace lockstep {

struct Scene {
    Workspace open; // all open reports, shown or hidden, in list order
    ByReport<std::shared_ptr<const ReportIdentity>>
        own;             // identities of the open reports before they were reconciled with each other
    Workspace shown;     // the reports that are on the timeline and in the tables
    Alignment alignment; // covers all open reports, so that hiding a report does not move the others
    // measured with that alignment
    std::shared_ptr<const Lateness> lateness = std::make_shared<const Lateness>();
    // levels of detail of the open reports
    ReportLods lods;
    LaneOptions laneOptions;
    // lanes of the shown reports
    std::shared_ptr<const LaneTree> tree = std::make_shared<const LaneTree>();
    // quiet times of the shown reports
    std::shared_ptr<const QuietTime> quiet = std::make_shared<const QuietTime>();
    std::shared_ptr<const RoleBubbles> bubbles =
        std::make_shared<const RoleBubbles>(); // bubbles of the shown reports
    uint64_t generation = 0;                   // increases with each scene of a window
    // increases only if tables and queries may have different results: not if only the lanes changed
    uint64_t dataGeneration = 0;

    // Returns the range from the first to the last timestamp of the shown reports on the aligned axis, see
    // axisOf(). Empty if there are no reports.
    TimeRange extent() const { return axisOf(shown, alignment); }
    bool holds(SliceRef slice) const // returns true for a slice in a shown report
    {
        return slice.isValid() && shown.has(slice.report) &&
               slice.slice.value < shown.report(slice.report).slices.size();
    }
};

using ScenePtr = std::shared_ptr<const Scene>;

// Creates a scene that shows all reports in a workspace. Builds missing levels of detail.
ScenePtr makeScene(const Workspace& workspace, Alignment alignment, const Workers& workers,
                   ReportLods lods = {}, const LaneOptions& laneOptions = {});

// Like makeScene(), but for tables and files. Nothing can be drawn from this scene, so no levels of detail
// are built.
ScenePtr makeHeadlessScene(const Workspace& workspace, Alignment alignment);

} // namespace lockstep
