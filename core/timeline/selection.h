// SPDX-License-Identifier: Apache-2.0
// Selection: what the user selected: a slice or block, a time range, area selections, and further slices.
// Value type, owned by the timeline view.
#pragma once

#include <optional>
#include <vector>

#include "core/lanes/area.h"
#include "core/memory/block_life.h"
#include "core/trace/workspace.h"

namespace lockstep {

// A block in a report's memory snapshot.
struct BlockRef {
    ReportKey report;
    uint32_t device = 0; // index in AllocatorReplay::devices
    BlockLifeId life;

    bool isValid() const { return report.isValid() && life.isValid(); }
    friend bool operator==(const BlockRef&, const BlockRef&) = default;
};

struct Selection {
    SliceRef slice;                 // invalid = none
    BlockRef block;                 // invalid = none; at most one of slice and block is valid
    std::optional<TimeRange> range; // aligned; if there are areas, from the start of the first to the end of
                                    // the last
    std::vector<Area> areas;        // in the order in which they were drawn
    SliceList slices;               // further slices that were selected individually or by histogram bars;
                                    // nullptr: none
    // The reports in whose lanes the drag began and ended. A measurement between two clocks has an error
    // bound. An invalid report stands for the axis itself, for example if the drag was on the ruler.
    ReportKey began, ended;
    // If the slice is part of a collective: all its parts, and the part for which the others waited (see
    // peersOf()).
    std::vector<SliceRef> peers;
    SliceRef peersCause;
    // If the slice is work on a request: what ran in the same batches (see ServedBatch); nullptr: nothing.
    SliceList served;

    friend bool operator==(const Selection&, const Selection&) = default;
};

} // namespace lockstep
