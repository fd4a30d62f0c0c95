// SPDX-License-Identifier: Apache-2.0
// CollectiveParts: the parts of a collective on all ranks, even if the alignment has not matched it. They are
// found by the communicator and the sequence number recorded in the files. Pure. Thread: any.
#pragma once

#include "core/align/collective_peers.h"
#include "core/scene/scene.h"

namespace lockstep {

// Returns the result of peersOf(), if there is one. Otherwise returns the parts with the same communicator,
// sequence number and operation in reports of the same step. Reports with several such parts are skipped, and
// the last arrival remains unknown. The slice must belong to a visible report. O(collectives).
CollectivePeers collectiveParts(const Scene& scene, SliceRef of);

} // namespace lockstep
