// SPDX-License-Identifier: Apache-2.0
// Scene: all that is looked at, one immutable value: the open reports under their keys, whose they are, how
// their clocks relate, their levels of detail, and the lanes of those that are shown. Made by nextScene() and
// makeScene(), on any thread; read by the timeline, the panels, tables, pictures, exports, search and the
// workspace file, which all see the same.
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
    Workspace open; // all of them, shown or not, in the order in which they are listed
    ByReport<std::shared_ptr<const ReportIdentity>> own; // of the open ones, before they learnt from others
    Workspace shown;                                     // of these what is on the timeline and in the tables
    Alignment alignment;                                 // of the open ones: hiding one moves no other
    std::shared_ptr<const Lateness> lateness = std::make_shared<const Lateness>(); // by that alignment
    ReportLods lods;                                                               // of the open ones
    LaneOptions laneOptions;
    std::shared_ptr<const LaneTree> tree = std::make_shared<const LaneTree>();          // of the shown ones
    std::shared_ptr<const QuietTime> quiet = std::make_shared<const QuietTime>();       // of the shown ones
    std::shared_ptr<const RoleBubbles> bubbles = std::make_shared<const RoleBubbles>(); // the same
    uint64_t generation = 0; // a later scene of the same window has a greater one

    // The shown reports' first to last stamp on the aligned axis, see axisOf(); empty when there are none.
    TimeRange extent() const { return axisOf(shown, alignment); }
    bool holds(SliceRef slice) const // of a shown report
    {
        return slice.isValid() && shown.has(slice.report) &&
               slice.slice.value < shown.report(slice.report).slices.size();
    }
};

using ScenePtr = std::shared_ptr<const Scene>;

// A scene that shows all of a workspace. Levels of detail that are not given are built.
ScenePtr makeScene(const Workspace& workspace, Alignment alignment, const Workers& workers,
                   ReportLods lods = {}, const LaneOptions& laneOptions = {});

// The same for tables and files: nothing of it can be drawn, so nothing is built.
ScenePtr makeUndrawnScene(const Workspace& workspace, Alignment alignment);

} // namespace lockstep
