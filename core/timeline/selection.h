// SPDX-License-Identifier: Apache-2.0
// Selection: what the user points at: the slice or block in hand, a time range, areas of time and lanes, and
// slices picked besides. A value, owned by the timeline view.
#pragma once

#include <optional>
#include <vector>

#include "core/lanes/area.h"
#include "core/memory/block_life.h"
#include "core/trace/workspace.h"

namespace lockstep {

// A block of a report's memory snapshot.
struct BlockRef {
    ReportKey report;
    uint32_t device = 0; // into AllocatorReplay::devices
    BlockLifeId life;

    bool isValid() const { return report.isValid() && life.isValid(); }
    friend bool operator==(const BlockRef&, const BlockRef&) = default;
};

struct Selection {
    SliceRef slice;                 // invalid = none
    BlockRef block;                 // the same; of the two at most one is valid
    std::optional<TimeRange> range; // aligned; where there are areas, from the first to the last of them
    std::vector<Area> areas;        // in the order in which they were drawn
    SliceList slices;               // several, picked one by one or by a histogram's bars; nullptr: none
    // The reports whose lanes the range was drawn from and to: a measure over two clocks has an error.
    // Invalid = the axis itself, as from the ruler.
    ReportKey began, ended;
    // Where the slice is part of a collective: all its parts, and the one the others waited for (see
    // peersOf()).
    std::vector<SliceRef> peers;
    SliceRef peersCause;

    friend bool operator==(const Selection&, const Selection&) = default;
};

} // namespace lockstep
