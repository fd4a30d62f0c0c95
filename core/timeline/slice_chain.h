// SPDX-License-Identifier: Apache-2.0
// SliceChain: what led to a slice and what came of it: the API call, the work that it launched, the
// collective that this is part of, and its parts on the other ranks. Made for the timeline, which lights its
// slices and washes the rest. A value; pure, any thread.
#pragma once

#include <string>
#include <vector>

#include "core/lanes/area.h"
#include "core/scene/scene.h"

namespace lockstep {

struct SliceChain {
    SliceRef of;
    std::vector<SliceRef> line; // the first cause of each cause up to `of`, then the first effects
    SliceList slices;           // all causes of causes and effects of effects, with the parts of collectives
    size_t ranks = 0;           // reports that the collectives have a part in
    SliceRef cause;             // the part that the others waited for; invalid: none, or nobody knows
    bool isCut = false;         // there are more than kMostChain

    bool isAlone() const { return slices == nullptr || slices->size() < 2; }
};

inline constexpr size_t kMostChain = 4'096;

// `of` is of a shown report. O(slices of the chain * log links + collectives).
SliceChain chainOf(const Scene& scene, SliceRef of);

// "cudaLaunchKernel → ncclDevKernel_AllReduce → its collective on 64 ranks, rank 7 came last".
std::string chainText(const Scene& scene, const SliceChain& chain);

} // namespace lockstep
