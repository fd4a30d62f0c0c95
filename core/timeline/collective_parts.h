// SPDX-License-Identifier: Apache-2.0
// CollectiveParts: a collective's parts on all ranks, also where no alignment has matched it: by the
// communicator and the sequence number that the files state. Pure, any thread.
#pragma once

#include "core/align/collective_peers.h"
#include "core/scene/scene.h"

namespace lockstep {

// As peersOf(); where that knows nothing, parts of the same communicator, number and word in reports of the
// same step, each only where its report has no more than one such; then nobody knows who came last. The slice
// is of a shown report. O(collectives).
CollectivePeers collectiveParts(const Scene& scene, SliceRef of);

} // namespace lockstep
