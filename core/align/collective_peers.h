// SPDX-License-Identifier: Apache-2.0
// CollectivePeers: the parts of one collective in all reports, found from any one of them. Used to highlight
// them when the user clicks an NCCL kernel.
#pragma once

#include <vector>

#include "core/align/alignment.h"

namespace lockstep {

struct CollectivePeers {
    std::vector<SliceRef> parts; // by rank, including the given part; only from reports in the workspace
    // The part that the others waited for: the sender of a pair, otherwise the part with the last aligned
    // start. Invalid if the operation implies no order.
    SliceRef cause;
};

// Returns the peers; the result is empty if the slice is in no matched collective, or if the alignment
// matched no collectives. O(collectives of the slice's ranks and of its group).
CollectivePeers peersOf(const Workspace& workspace, const Alignment& alignment, SliceRef slice);

} // namespace lockstep
