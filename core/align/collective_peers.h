// SPDX-License-Identifier: Apache-2.0
// CollectivePeers: one collective's parts in all reports, found from any of them: what a click on an NCCL
// kernel points out on the other ranks.
#pragma once

#include <vector>

#include "core/align/alignment.h"

namespace lockstep {

struct CollectivePeers {
    std::vector<SliceRef> parts; // by rank, the given one among them; those of reports that the workspace has
    // What the others depended on: the sender of a pair, else the part of the last aligned start. Invalid
    // where the operation says nothing of order.
    SliceRef cause;
};

// Empty for slices that no collective was matched with, and where the alignment matched none. O(collectives
// of the slice's ranks and of its group).
CollectivePeers peersOf(const Workspace& workspace, const Alignment& alignment, SliceRef slice);

} // namespace lockstep
